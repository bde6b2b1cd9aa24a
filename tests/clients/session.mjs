// One full session of an official TypeScript client with the built server.
// What is said and expected stands in script.json, for all clients alike;
// what differs between the clients is passed in.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const script = JSON.parse(readFileSync(new URL('script.json', import.meta.url)));

// The official clients wait this long after closing the server's input, and
// then kill it. A close that takes as long was no close.
const GRACE_MS = 2000;
const UPDATE_MS = 30_000;

// `connect(parameters, onUpdate)` returns { client, version, subscribe }, where
// `subscribe(uri)` may return a function that checks the stream's end.
export async function session(label, connect) {
  const command = process.argv[2];
  const directory = mkdtempSync(fileURLToPath(new URL('session-', import.meta.url)));
  const file = join(directory, 'memory.jsonl');
  try {
    let updated;
    const update = new Promise((resolve, reject) => {
      updated = resolve;
      setTimeout(() => reject(new Error('no update arrived')), UPDATE_MS).unref();
    });
    update.catch(() => {}); // awaited below
    const parameters = { command, args: [], env: { MEMORY_FILE_PATH: file }, cwd: directory, stderr: 'ignore' };
    const { client, version, subscribe } = await connect(parameters, updated);

    const { tools } = await client.listTools();
    assert.deepEqual(tools.map((tool) => tool.name), script.tools);

    for (const step of script.steps) {
      const result = await client.callTool({ name: step.tool, arguments: step.arguments });
      const text = result.content[0].text;
      if (step.error !== undefined) {
        assert.equal(result.isError, true, step.tool);
        assert.ok(text.startsWith(step.error), text);
        continue;
      }
      assert.notEqual(result.isError, true, text);
      assert.equal(text, step.text ?? JSON.stringify(step.value, null, 2), step.tool);
      assert.deepEqual(result.structuredContent, step.structured, step.tool);
    }

    const { contents } = await client.readResource({ uri: script.uri });
    assert.deepEqual(JSON.parse(contents[0].text), script.resource);

    const checkEnd = await subscribe(script.uri);
    await client.callTool({ name: script.update.tool, arguments: script.update.arguments });
    assert.equal((await update).uri, script.uri);
    assert.equal(readFileSync(file, 'utf8'), script.file.map((line) => line + '\n').join(''));

    const closing = performance.now();
    await client.close();
    const took = performance.now() - closing;
    assert.ok(took < GRACE_MS, `the server had to be killed, after ${took.toFixed(0)} ms`);
    await checkEnd?.();
    console.log(`ok ${label} (${version}), closed in ${took.toFixed(0)} ms`);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
