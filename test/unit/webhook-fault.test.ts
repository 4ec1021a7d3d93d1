import { expect, test } from 'vitest';
import type { Environment } from '../../src/domain/method.ts';
import { faultOfTry, type TryFault, WEBHOOK_FAULT_KEY } from '../../src/domain/webhook-fault.ts';

interface Row {
  readonly name: string;
  readonly environment?: Environment;
  readonly ordered?: string;
  readonly isFirstTry?: boolean;
  readonly isFirstEvent?: boolean;
  readonly fault: TryFault | null;
}

test.each<Row>([
  { name: 'as ordered', ordered: 'drop', fault: 'drop' },
  { name: 'without an order', fault: null },
  { name: 'of an unknown kind', ordered: 'explode', fault: null },
  { name: 'at a retry', ordered: 'drop', isFirstTry: false, fault: null },
  { name: 'in production', ordered: 'drop', environment: 'production', fault: null },
  { name: 'at the first event, out of order', ordered: 'out_of_order', fault: 'overtaken' },
  {
    name: 'at a later event, out of order',
    ordered: 'out_of_order',
    isFirstEvent: false,
    fault: 'overtakes',
  },
])('the fault of a try $name', ({ environment, ordered, isFirstTry, isFirstEvent, fault }) => {
  const metadata = ordered === undefined ? {} : { [WEBHOOK_FAULT_KEY]: ordered };
  const terms = { environment: environment ?? 'sandbox', metadata };
  const position = { isFirstTry: isFirstTry ?? true, isFirstEvent: isFirstEvent ?? true };
  expect(faultOfTry(terms, position)).toBe(fault);
});
