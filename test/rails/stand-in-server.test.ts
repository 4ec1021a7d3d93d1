import { expect, it } from 'vitest';
import { StandInServer } from '../../scripts/stand-ins/stand-in.ts';

it('announces no end of an idle connection, so that no call meets a closing one', async () => {
  const server = await StandInServer.start(async () => ({ type: 'answer', status: 200, body: '' }));
  try {
    const answer = await fetch(server.baseUrl);
    await answer.text();
    expect(answer.headers.get('connection')).toBe('keep-alive');
    // Node names its limit here, where it has one.
    expect(answer.headers.get('keep-alive')).toBeNull();
  } finally {
    await server.stop();
  }
});
