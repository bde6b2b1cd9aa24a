// The TypeScript SDK 1.x, which speaks the eras up to 2025-11-25.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { session } from '../session.mjs';

await session('typescript sdk 1.x', async (parameters, onUpdate) => {
  const client = new Client({ name: 'typescript-v1', version: '0' });
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => onUpdate(params));
  const transport = new StdioClientTransport(parameters);
  let version;
  transport.setProtocolVersion = (negotiated) => (version = negotiated);
  await client.connect(transport);
  return { client, version, subscribe: async (uri) => void (await client.subscribeResource({ uri })) };
});
