/** What a developer should know about an error, besides its status and message. */
export interface ErrorText {
  /** What happened. */
  readonly meaning: string;
  /** What to do about it. */
  readonly remedy: string;
  /** `after_change` unless it says otherwise. */
  readonly retry?: Retry;
}

export const RETRY_TEXTS = {
  after_change: 'Retry only after a change: the same request fails again.',
  after_wait: 'Retry the same request after `Retry-After` seconds.',
  with_backoff: 'Retry the same request a few times, with growing waits.',
  never: 'Do not retry.',
} as const satisfies Record<string, string>;

/** Whether the same request can succeed later. */
export type Retry = keyof typeof RETRY_TEXTS;
