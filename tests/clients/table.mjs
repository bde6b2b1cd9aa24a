// The README's table of clients, from what the clients themselves reported:
// node table.mjs [--write] LOG…, where the logs hold the lines `ok CLIENT (ERA)`
// that run.sh and the conformance run print. Without --write it compares.

import { readFileSync, writeFileSync } from 'node:fs';

const here = (path) => new URL(path, import.meta.url);
const npm = (folder, name) => JSON.parse(readFileSync(here(`${folder}/package.json`))).dependencies[name];
const pin = (file, pattern) => readFileSync(here(file), 'utf8').match(pattern)[1];

const FULL = 'list, nine tools, an error, resource, subscription, close';
// The label that the client prints, up to a comma; what it is; what it does.
const CLIENTS = [
  ['typescript sdk 1.x', 'TypeScript SDK 1', '@modelcontextprotocol/sdk', npm('typescript-v1', '@modelcontextprotocol/sdk'), FULL],
  ['typescript client 2.x', 'TypeScript SDK 2', '@modelcontextprotocol/client', npm('typescript-v2', '@modelcontextprotocol/client'), FULL],
  ['python sdk 1.x', 'Python SDK 1', 'mcp', pin('python/requirements-1.txt', /^mcp==([\w.]+)/m), FULL],
  ['python sdk 2.x', 'Python SDK 2', 'mcp', pin('python/requirements-2.txt', /^mcp==([\w.]+)/m), FULL],
  ['rmcp client', 'Rust SDK', 'rmcp', pin('rmcp/Cargo.toml', /^rmcp = .*?=(\d[\d.]+)"/m), FULL],
  ['inspector', 'Inspector, command line', '@modelcontextprotocol/inspector', npm('inspector', '@modelcontextprotocol/inspector'), 'list with portability check, nine tools, an error, resource'],
  ['conformance', 'Conformance suite', '@modelcontextprotocol/conformance', npm('../conformance', '@modelcontextprotocol/conformance'), 'every server scenario; [what may fail](tests/conformance), with reasons'],
];

const args = process.argv.slice(2);
const write = args[0] === '--write' && args.shift();
const reported = args
  .flatMap((log) => readFileSync(log, 'utf8').split('\n'))
  .map((line) => line.match(/^ok ([^,(]+?)(?:, ([^,(]+?))? \(([\d-]+)\)/))
  .filter(Boolean)
  .map(([, client, mode, era]) => ({ client, mode, era }));

const rows = CLIENTS.map(([label, name, packageName, version, exercised]) => {
  const runs = reported.filter(({ client }) => client === label || client === `${label} ${version}`);
  if (runs.length === 0) throw new Error(`no session of ${label} was reported`);
  const eras = runs.map(({ mode, era }) => (mode ? `${era} (${mode})` : era)).sort();
  return `| ${name} | \`${packageName}\` ${version} | ${eras.join(', ')} | ${exercised} |`;
});
const known = CLIENTS.flatMap(([label, , , version]) => [label, `${label} ${version}`]);
const stray = reported.find(({ client }) => !known.includes(client));
if (stray) throw new Error(`${stray.client} is not in table.mjs`);
const table = ['| client | version | protocol | what is exercised |', '|---|---|---|---|', ...rows].join('\n') + '\n';

const path = here('../../README.md');
const readme = readFileSync(path, 'utf8');
const [, before, shown, after] = readme.match(/^([^]*<!-- clients: [^\n]*-->\n)([^]*?)(<!-- \/clients -->[^]*)$/);
if (write) {
  writeFileSync(path, before + table + after);
} else if (shown !== table) {
  console.error(`README.md shows another table of clients than what ran:\n\n${table}\nto accept it: node tests/clients/table.mjs --write ${args.join(' ')}`);
  process.exit(1);
}
