import type { Attempt } from '../../src/engine/domain/attempt.ts';
import type { Command, Rejection } from '../../src/engine/domain/command.ts';
import { decide, openIntent } from '../../src/engine/domain/decide.ts';
import type { EventType, Intent } from '../../src/engine/domain/intent.ts';
import type { IntentKind, IntentTerms } from '../../src/engine/domain/terms.ts';
import { someTerms } from './intents.ts';

/** A command, and when the payment gets it. */
export interface Scene {
  readonly atMs: number;
  readonly command: Command;
}

/** A bare command comes a millisecond after what is before it; the first one at 1 ms. */
export type Story = readonly (Scene | Command)[];

export function at(atMs: number, command: Command): Scene {
  return { atMs, command };
}

/** The story with the time of each command. */
export function timed(story: Story): readonly Scene[] {
  let nowMs = 0;
  return story.map((entry) => {
    const scene = 'atMs' in entry ? entry : at(nowMs + 1, entry);
    nowMs = scene.atMs;
    return scene;
  });
}

/** A payment of `someTerms` that lives through a story. */
export function play(story: Story, changes: Partial<IntentTerms> = {}) {
  let intent: Intent = openIntent(someTerms(changes));
  const events: EventType[] = [];
  const rejections: (Rejection | null)[] = [];
  const scenes = timed(story);
  for (const { atMs, command } of scenes) {
    const decision = decide(intent, [command], atMs);
    events.push(...decision.steps.flatMap(({ event }) => event ?? []));
    rejections.push(decision.rejection);
    intent = decision.intent;
  }
  const nowMs = scenes.at(-1)?.atMs ?? 0;
  return { intent, events, rejections, rejection: rejections.at(-1) ?? null, nowMs };
}

/** A story, and its `endOf`. Hosted unless the row says `express`. */
export type StoryRow = readonly [name: string, story: Story, end: string, kind?: IntentKind];

/** The payment's status, its attempts, all events, and why the last command was rejected. */
export function endOf({ intent, events, rejection }: ReturnType<typeof play>): string {
  const { status, late, attempts } = intent;
  return [
    late ? `late ${status}` : status,
    `[${attempts.map((attempt) => attempt.status).join(' ')}]`,
    ...events,
    ...(rejection === null ? [] : [`but ${rejection}`]),
  ].join(' ');
}

/** The first attempt of a payment. */
export function attemptOf({ attempts: [attempt] }: Pick<Intent, 'attempts'>): Attempt {
  if (attempt === undefined) {
    throw new Error('no attempt');
  }
  return attempt;
}
