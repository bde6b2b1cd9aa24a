// The Inspector's command line, in each era: it starts the server anew for
// every request, so what one call stores the next has to read.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const script = JSON.parse(readFileSync(new URL('../script.json', import.meta.url)));
const inspector = fileURLToPath(new URL('node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js', import.meta.url));
const command = process.argv[2];
const TOOL_ERROR = 5; // The Inspector's exit code for a result with isError.

async function session(era, version) {
  const directory = mkdtempSync(join(tmpdir(), 'mcp-memory-inspector-'));
  const file = join(directory, 'memory.jsonl');
  const run = async (...request) => {
    const target = ['-e', `MEMORY_FILE_PATH=${file}`, command];
    const args = [inspector, '--cli', '--protocol-era', era, '--cwd', directory, ...target, ...request];
    const { stdout, code } = await promisify(execFile)(process.execPath, args).catch((error) => error);
    const result = JSON.parse(stdout);
    if (!result.isError) assert.equal(code ?? 0, 0, stdout);
    return { result, code };
  };
  try {
    const { result: list } = await run('--method', 'tools/list', '--strict');
    assert.deepEqual(list.tools.map((tool) => tool.name), script.tools);
    for (const step of script.steps) {
      const pairs = Object.entries(step.arguments).flatMap(([name, value]) => [
        '--tool-arg',
        `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
      ]);
      const { result, code } = await run('--method', 'tools/call', '--tool-name', step.tool, ...pairs);
      // Only in the era of 2026-07-28 each result says who made it.
      const maker = result._meta?.['io.modelcontextprotocol/serverInfo']?.name;
      assert.equal(maker, version === '2026-07-28' ? 'mcp-memory' : undefined);
      const text = result.content[0].text;
      if (step.error !== undefined) {
        assert.equal(code, TOOL_ERROR, step.tool);
        assert.ok(text.startsWith(step.error), text);
        continue;
      }
      assert.equal(text, step.text ?? JSON.stringify(step.value, null, 2), step.tool);
      assert.deepEqual(result.structuredContent, step.structured, step.tool);
    }
    const { result: listed } = await run('--method', 'resources/list');
    assert.deepEqual(listed.resources.map((resource) => resource.uri), [script.uri]);
    const { result: read } = await run('--method', 'resources/read', '--uri', script.uri);
    assert.deepEqual(JSON.parse(read.contents[0].text), script.resource);
    console.log(`ok inspector, ${era} (${version})`);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

await Promise.all([session('legacy', '2025-11-25'), session('auto', '2026-07-28'), session('modern', '2026-07-28')]);
