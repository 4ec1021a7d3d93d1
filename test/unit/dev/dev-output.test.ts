import { once } from 'node:events';
import { createServer } from 'node:net';
import { Readable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { withoutStacks } from '../../../scripts/dev/output.ts';
import { expectFreePort } from '../../../scripts/dev/ports.ts';

/** Goal: what goes wrong on a developer's machine is one line in the terminal. */

const STACK = `\n  stack: ${'/x/workerd-linux-64/bin/workerd@383c3f9 '.repeat(100)}; wdErrId = s1dl\n\n`;
const UNKNOWN = 'failed: failed to lookup address information: Name or service not known';
const SENTENCE = 'A request failed: the host of its address, such as a callbackUrl, is unknown.\n';

test.each([
  ['an unknown host', `\u2718 [ERROR] e = rust/worker/ffi.rs:110: ${UNKNOWN}\n${STACK}`, SENTENCE],
  ['another error', `\u2718 [ERROR] broken\n${STACK}`, '\u2718 [ERROR] broken\n'],
  ['other lines', 'one\n\n  stack: of plates\ntwo', 'one\n\n  stack: of plates\ntwo'],
])('%s, in any pieces', async (_name, written, shown) => {
  for (const pieces of [[written], [...written]]) {
    const read = await textOf(Readable.from(pieces).pipe(withoutStacks()));
    expect(read.trimEnd()).toBe(shown.trimEnd());
  }
});

test('a taken port is a sentence with the command that takes another one', async () => {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as { port: number };
  await expect(expectFreePort(port, 'npm run webhooks')).rejects.toThrow(
    `Port ${port} is taken. Stop what listens there, or choose another: npm run webhooks -- --port ${port + 1}`,
  );
  server.close();
});
