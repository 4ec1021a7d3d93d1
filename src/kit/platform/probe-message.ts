/**
 * A message that only proves that a queue is consumed. Payments' messages have no such field. Only
 * this Worker sends to its queues, and only for an operator (src/control/self-check/run.ts).
 */
export interface ProbeMessage {
  /** The run of the self-check. */
  readonly selfCheckRun: string;
}

export function isProbe({ body }: { readonly body: unknown }): boolean {
  return typeof body === 'object' && body !== null && 'selfCheckRun' in body;
}
