import { decide, openIntent } from '../../src/domain/decide.ts';
import type {
  Attempt,
  Command,
  EventType,
  Intent,
  IntentTerms,
  Rejection,
} from '../../src/domain/intent.ts';
import { someTerms } from './intents.ts';

/** A command, and when the payment gets it. */
export interface Scene {
  readonly atMs: number;
  readonly command: Command;
}

export type Story = readonly Scene[];

export function at(atMs: number, command: Command): Scene {
  return { atMs, command };
}

/** The commands, a millisecond apart, the first one at `fromMs`. */
export function inTurn(commands: readonly Command[], fromMs = 1): Story {
  return commands.map((command, index) => at(fromMs + index, command));
}

/** A payment of `someTerms` that lives through a story. */
export function play(story: Story, changes: Partial<IntentTerms> = {}) {
  let intent: Intent = openIntent(someTerms(changes));
  const events: EventType[] = [];
  const rejections: (Rejection | null)[] = [];
  for (const { atMs, command } of story) {
    const decision = decide(intent, [command], atMs);
    events.push(...decision.steps.flatMap(({ event }) => event ?? []));
    rejections.push(decision.rejection);
    intent = decision.intent;
  }
  return { intent, events, rejections, rejection: rejections.at(-1) ?? null };
}

/** The first attempt of a payment. */
export function attemptOf({ attempts: [attempt] }: Pick<Intent, 'attempts'>): Attempt {
  if (attempt === undefined) {
    throw new Error('no attempt');
  }
  return attempt;
}
