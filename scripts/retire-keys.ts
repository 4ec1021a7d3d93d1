/**
 * `npm run --silent secrets:retire < ring.txt`: what WEBHOOK_RETIRED_KEYS_… needs for the older keys
 * of an RSA ring, before they leave it. Prints no private key.
 */
import { text } from 'node:stream/consumers';
import { ConfigError, keyRing } from '../src/config.ts';
import { retiredEntry } from '../src/webhooks/published-keys.ts';
import { runScript } from './project/options.ts';

const SCRIPT = {
  usage: 'npm run --silent secrets:retire',
  about:
    'Reads an RSA ring from standard input and prints the public half of each key but the first.',
  options: {},
};

await runScript(SCRIPT, async () => {
  const [, ...older] = keyRing('the ring on standard input', (await text(process.stdin)).trim());
  if (older.length === 0) {
    throw new ConfigError(
      'The ring has one key, which signs. Give the ring of the rotation, newest first.',
    );
  }
  const entries = await Promise.all(older.map((key) => retiredEntry(key, Date.now())));
  console.log(entries.join(','));
});
