// Streamable HTTP in front of the stdio server, for a test suite that speaks
// HTTP only: node bridge.mjs SERVER [ARGUMENT…], prints the address.
//
// One process of the server serves everybody, as on stdio. A request is
// answered with one JSON body; a listen, or any request whose id gets
// notifications, as a stream of events. It adds and hides nothing of MCP;
// what is about HTTP alone is not the server's to show.

import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';

const server = spawn(process.argv[2], process.argv.slice(3), { stdio: ['pipe', 'pipe', 'inherit'] });
server.on('exit', (code) => process.exit(code ?? 1));

const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';
const waiting = new Map(); // our id → { id, response }
let next = 0;

createInterface({ input: server.stdout }).on('line', (line) => {
  const message = JSON.parse(line);
  if (message.method !== undefined) {
    const meta = message.params?._meta;
    const stream = waiting.get(meta?.[SUBSCRIPTION]);
    if (stream === undefined) return;
    meta[SUBSCRIPTION] = stream.id;
    if (!stream.response.headersSent) stream.response.writeHead(200, { 'content-type': 'text/event-stream' });
    event(stream.response, message);
    return;
  }
  const { id, response } = waiting.get(message.id) ?? {};
  waiting.delete(message.id);
  if (response === undefined) return;
  const meta = message.result?._meta;
  if (meta?.[SUBSCRIPTION] !== undefined) meta[SUBSCRIPTION] = id;
  const answer = { ...message, id };
  if (response.headersSent) {
    event(response, answer);
    response.end();
    return;
  }
  response.writeHead(status(message.error?.code), { 'content-type': 'application/json' });
  response.end(JSON.stringify(answer));
});

const event = (response, message) => response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);

// The status that 2026-07-28 gives to an error on HTTP.
function status(code) {
  if (code === -32601) return 404;
  return [-32020, -32021, -32022, -32602, -32600, -32700].includes(code) ? 400 : 200;
}

const http = createServer(async (request, response) => {
  if (request.method !== 'POST') return void response.writeHead(405).end();
  const host = request.headers.host?.replace(/:\d+$/, '');
  const origin = request.headers.origin && new URL(request.headers.origin).hostname;
  if (![host, origin].every((name) => [undefined, '', 'localhost', '127.0.0.1', '[::1]'].includes(name))) return void response.writeHead(403).end();
  let body = '';
  for await (const chunk of request) body += chunk;
  const message = JSON.parse(body);
  if (message.id === undefined || message.method === undefined) {
    server.stdin.write(body.replaceAll('\n', ' ') + '\n');
    return void response.writeHead(202).end();
  }
  const id = `http-${++next}`;
  waiting.set(id, { id: message.id, response });
  response.on('close', () => {
    if (!waiting.delete(id)) return;
    server.stdin.write(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } }) + '\n');
  });
  server.stdin.write(JSON.stringify({ ...message, id }) + '\n');
});

http.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${http.address().port}/mcp`));
