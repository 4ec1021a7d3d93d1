import {
  WEBHOOK_FAULT_KEY,
  WEBHOOK_FAULTS,
  type WebhookFault,
} from '../../src/engine/domain/webhook-fault.ts';
import { SCENARIOS, type ScenarioName } from '../../src/engine/rails/simulator/scenarios.ts';
import { majorText } from '../../src/kit/money.ts';

/** What happens to a payment of each amount, for docs/sandbox.md and the API description. */
const WHAT_HAPPENS: Readonly<Record<ScenarioName, string>> = {
  declined: 'fails within a second',
  insufficient_funds: 'fails within a second',
  canceled_by_customer: 'fails within a second',
  wrong_pin: 'fails within a second',
  abandoned: 'fails within a second',
  timed_out: 'fails after 5 s',
  rail_unavailable: 'is refused: express answers `FAILURE`',
  misconfigured: 'is refused: express answers `FAILURE`',
  paid_slowly: 'is paid after 20 s',
  unknown_then_paid: 'is unknown at first, paid after 20 s',
  paid_late: 'expires, and is paid 10 s later',
  paid_twice: 'is paid after 30 s, by each attempt',
  expired: 'is not paid, and expires',
  expired_held: 'expires 30 s after `expireIn`',
  paid_held: 'is paid 10 s after `expireIn`: `late`',
};

/** The amounts that have a fixed outcome in the sandbox, as a Markdown table. */
export function amountsTable(): string {
  const names = Object.keys(SCENARIOS) as ScenarioName[];
  const rows = names.map((name) => [
    majorText(SCENARIOS[name].amountMinor),
    `\`${name}\``,
    WHAT_HAPPENS[name],
  ]);
  return table(['Amount', 'Name', 'The payment'], rows);
}

const WHAT_ARRIVES: Readonly<Record<WebhookFault, string>> = {
  drop: 'nothing at first; the event with its retry, 5 s later',
  delay: 'the event, 20 s late',
  duplicate: 'the event twice, with one `webhook-id`',
  wrong_signature: 'a request that does not verify; the true event 5 s later',
  out_of_order: 'a later event, then the one before it',
};

/** The faults of webhook delivery, as a Markdown table. */
export function webhookFaultsTable(): string {
  const rows = WEBHOOK_FAULTS.map((fault) => [`\`${fault}\``, WHAT_ARRIVES[fault]]);
  return table([`\`${WEBHOOK_FAULT_KEY}\``, 'What arrives'], rows);
}

/** Padded, so that it reads well as text too. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_title, column) =>
    Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}
