// The TypeScript client 2.x: once as it comes (legacy), once negotiating
// (auto), where it settles on 2026-07-28 and subscribes with a listen stream.

import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { session } from '../session.mjs';

for (const [mode, expected] of [['legacy', '2025-11-25'], ['auto', '2026-07-28']]) {
  await session(`typescript client 2.x, ${mode}`, async (parameters, onUpdate) => {
    const client = new Client({ name: 'typescript-v2', version: '0' }, { versionNegotiation: { mode } });
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => onUpdate(params));
    await client.connect(new StdioClientTransport(parameters));
    const version = client.getNegotiatedProtocolVersion();
    assert.equal(version, expected);
    const subscribe = async (uri) => {
      if (mode === 'legacy') return void (await client.subscribeResource({ uri }));
      const stream = await client.listen({ resourceSubscriptions: [uri] });
      assert.deepEqual(stream.honoredFilter.resourceSubscriptions, [uri]);
      // The server ends an open stream with a result before it exits.
      return async () => assert.equal(await stream.closed, 'graceful');
    };
    return { client, version, subscribe };
  });
}
