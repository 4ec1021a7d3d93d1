import { describe, expect, test } from 'vitest';
import { CliRun, type Finished } from '../support/e2e-cli.ts';
import { useScene } from '../support/e2e-scene.ts';

/** Goal: `kefel` says what is wrong, and what to do. */

const scene = await useScene('cli');

// Together: the gateway lets wrong keys wait where other tests have sent many.
describe.concurrent('kefel says what is wrong', () => {
  async function failed(words: readonly string[], env?: Record<string, string>): Promise<string> {
    const { exitCode, output, errors }: Finished = await new CliRun(words, env).finished;
    expect({ exitCode, output }).toEqual({ exitCode: 1, output: '' });
    expect(errors).not.toContain(env?.KEFEL_API_KEY ?? 'kfl_live_');
    return errors;
  }

  const access = () => ({
    KEFEL_API_KEY: scene.merchant.sandboxApiKey,
    KEFEL_URL: scene.gateway.baseUrl,
  });

  test.each([
    ['no command of that name', ['lisen'], {}, 'There is no command "lisen"'],
    ['an unknown option', ['listen', '--forward', 'x'], {}, "Unknown option '--forward'"],
    ['an option without its value', ['listen', '--forward-to'], {}, 'See: kefel listen --help'],
    ['an option twice', ['listen', '--after', 'a', '--after', 'b'], {}, 'only once'],
    ['a missing argument', ['trigger'], {}, 'Usage: kefel trigger OUTCOME'],
    ['an unknown outcome', ['trigger', 'sucess'], {}, 'Choose one of: success, failure'],
    ['bad metadata', ['trigger', 'success', '--metadata', 'x'], {}, 'takes KEY=VALUE'],
    [
      'an amount in birr',
      ['refund', 'x', '--amount', '50'],
      {},
      'use --amount-minor, in minor units',
    ],
    [
      'a part of a cent',
      ['refund', 'x', '--amount-minor', '10.50'],
      {},
      'whole number of minor units',
    ],
    ['a refund of nothing known', ['refund', 'none'], {}, '404 payment_not_found'],
    ['no such refund', ['refunds', 'none'], {}, '404 refund_not_found'],
    ['a bad time', ['payments', '--from', 'yesterday'], {}, '--from takes a time'],
    ['an unknown status', ['payments', '--status', 'PAID'], {}, '400 validation_failed'],
    ['an event and a time', ['resend', 'evt_1', '--since', '1h'], {}, 'kefel resend --since 2h'],
    ['neither event nor time', ['resend'], {}, 'kefel resend evt_…'],
    [
      'many events for this machine',
      ['resend', '--since', '1h', '--forward-to', 'localhost'],
      {},
      'name its ID',
    ],
    ['no such payment', ['payments', 'none'], {}, '404 payment_not_found'],
    ['no such event', ['resend', 'evt_x'], {}, '404 event_not_found'],
    ['a bad address', ['listen', '--forward-to', 'http://'], {}, '--forward-to http://localhost'],
    ['a mistyped gateway', ['listen'], { KEFEL_URL: 'ftp://x' }, 'is no address'],
    ['no key', ['listen'], { KEFEL_API_KEY: 'Bearer kfl_test_x' }, 'This is no API key'],
    [
      'an API path',
      ['listen'],
      { KEFEL_URL: 'https://x.example/api/v1/payment' },
      '--url https://x.example',
    ],
    ['an address with a query', ['listen'], { KEFEL_URL: 'https://x.example?y' }, 'is no address'],
    ['no such endpoint', ['endpoints', 'we_none'], {}, '404 webhook_endpoint_not_found'],
    ['the deletion of nothing', ['endpoints', '--delete'], {}, 'kefel endpoints ID --delete'],
    ['no word after links', ['links', 'add'], {}, 'There is no command "links add"'],
    ['no such link', ['links', 'show', 'none'], {}, '404 payment_link_not_found'],
    ['no link to end', ['links', 'deactivate'], {}, 'Usage: kefel links deactivate ID'],
    ['a change of nothing', ['links', 'change', 'x'], {}, 'kefel links change ID --amount'],
    ['a state of no link', ['links', 'list', '--active', 'yes'], {}, 'takes true or false'],
    ['a link without a price', ['links', 'create', '--title', 'x'], {}, '400 validation_failed'],
    [
      'a price in minor units',
      ['links', 'create', '--amount-minor', '45000'],
      {},
      'use --amount, in major units',
    ],
    ['a price in words', ['links', 'create', '--amount', '450 ETB'], {}, 'such as 450 or 450.50'],
    ['a file that is away', ['links', 'create', '--file', '/none.json'], {}, '--file /none.json:'],
    ['no payment to cancel', ['cancel', 'none'], {}, '404 payment_not_found'],
    ['no refund to cancel', ['cancel', 'none', '--refund'], {}, '404 refund_not_found'],
    ['an empty id', ['payments', ''], {}, 'The id must not be empty'],
    ['a gateway without https', ['listen'], { KEFEL_URL: 'http://pay.example.com' }, 'Use https'],
    ['a gateway that is away', ['listen'], { KEFEL_URL: 'http://localhost:9' }, 'does not answer'],
    ['an unknown key', ['listen'], { KEFEL_API_KEY: 'kfl_test_x' }, '401 api_key_invalid'],
    ['an unknown event', ['listen', '--after', 'evt_x'], {}, '404 event_not_found'],
    [
      'two bad fields',
      ['trigger', 'success', '--id', ' ', '--method', 'x'],
      {},
      '\n  method: Must',
    ],
  ])('%s', async (_what, words, env, message) => {
    expect(await failed(words, { ...access(), ...env })).toContain(message);
  });

  test('no key, and no gateway', async () => {
    expect(await failed(['listen'])).toContain('export KEFEL_API_KEY=kfl_test_…');
    const { KEFEL_API_KEY } = access();
    expect(await failed(['listen'], { KEFEL_API_KEY })).toContain('set KEFEL_URL');
  });

  test.each([['listen'], ['trigger', 'success']])(
    'a production key, before any call: %s',
    async (...words) => {
      const env = {
        KEFEL_API_KEY: scene.merchant.productionApiKey,
        KEFEL_URL: 'http://localhost:9',
      };
      expect(await failed(words, env)).toContain('works only in the sandbox');
    },
  );
});
