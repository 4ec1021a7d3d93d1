import { accessOf, clientOf } from './access.ts';
import type { Command } from './command.ts';
import { print } from './output.ts';

export const cancel: Command = {
  arguments: 'ID',
  argumentsMin: 1,
  argumentsMax: 1,
  summary: 'Cancel an open payment, or a refund that is PENDING',
  about: `ID: your paymentIntentUniqueId; with --refund, your refundUniqueId. Canceling twice changes nothing.`,
  options: {
    refund: { value: null, about: 'ID is a refund' },
    json: { value: null, about: 'print the answer as JSON, for programs' },
  },
  async run(given) {
    const [id = ''] = given.arguments;
    const { payments, refunds } = clientOf(await accessOf(given));
    const canceled = given.has('refund') ? await refunds.cancel(id) : await payments.cancel(id);
    print(given.has('json') ? JSON.stringify(canceled, null, 2) : `${id}: ${canceled.status}`);
  },
};
