import { expect, test } from 'vitest';
import { playScenarios } from '../support/clients/play.ts';
import { pythonDriver, textByPython } from '../support/clients/python.ts';
import { playUntyped } from '../support/clients/untyped.ts';

/** Goal: the clients of all languages do the same. Method: one table of scenarios for all of them. */

playScenarios('python', pythonDriver);
playUntyped('python', pythonDriver);

test('shows the key in no text of an object and in no trace', async () => {
  const text = await textByPython(`
import traceback
from kefel import Kefel

kefel = Kefel("kfl_test_SECRET", "http://127.0.0.1:1", retries_max=0)
texts = [repr(kefel), repr(vars(kefel)), repr(vars(kefel.payments))]
for call in (
    lambda: Kefel("kfl_test_SECRET", "nowhere"),
    lambda: Kefel("kfl_test_SECRET\\nx: y", "https://pay.example.com"),
    lambda: kefel.payments.get("order-1"),
):
    try:
        call()
    except Exception as error:
        texts.append(f"{type(error).__name__}: {error}")
        texts.append(traceback.format_exc().replace('"kfl_test_SECRET', "(the source)"))
"\\n".join(texts)
`);
  expect(text).not.toContain('SECRET');
  expect(text.match(/^\w+(?=: )/gm)).toContain('KefelConnectionError');
});
