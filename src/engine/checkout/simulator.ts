import { h } from 'preact';
import { seeOther } from '../../kit/ui/headers.ts';
import { checkoutUrlOf } from '../attempts/order.ts';
import { storeResult } from '../attempts/provider-reports.ts';
import type { Attempt, Outcome } from '../domain/attempt.ts';
import type { Command } from '../domain/command.ts';
import type { Intent } from '../domain/intent.ts';
import { isInteractive, simulator } from '../rails/simulator/rail.ts';
import { readForm } from './form.ts';
import { badFormPage, unknownPage } from './notices.ts';
import type { LinkCall } from './open-link.ts';
import { pageResponse } from './page-response.ts';
import { type SimulatorChoice, SimulatorPage } from './pages/simulator.tsx';
import { returnUrlFor } from './return-url.ts';

/** GET /simulator/:token: the sandbox's stand-in for a provider's page. */
export async function showSimulator(call: LinkCall): Promise<Response> {
  const { request, env, intent } = call;
  const attempt = simulatedAttempt(call);
  if (attempt === null) {
    return unknownPage(request);
  }
  const page = h(SimulatorPage, {
    terms: intent.terms,
    attempt,
    path: `/simulator/${call.token}`,
    remainingMs: Math.max(0, attempt.deadlineAtMs - Date.now()),
    action: `/rails/${simulator.id}/${call.token}`,
    checkoutUrl: await checkoutUrlOf(env, intent),
  });
  return pageResponse(request, page, {
    formTargets: [intent.terms.baseUrl, intent.terms.returnUrl],
  });
}

/** POST /rails/simulator/:token: the customer decides how the test payment ends. */
export async function decideSimulated(call: LinkCall): Promise<Response> {
  const { request, env, client, intent } = call;
  const attempt = simulatedAttempt(call);
  if (attempt === null) {
    return unknownPage(request);
  }
  const checkoutUrl = await checkoutUrlOf(env, intent);
  const choice = (await readForm(request))?.get('outcome') ?? '';
  // A SIMULATED_TEST has no page: `testMode` alone determines its outcome.
  if (!isChoice(choice) || !isInteractive(intent.terms)) {
    return badFormPage(request, checkoutUrl);
  }
  const executed = await storeResult(env, client, simulatedCommands(choice, intent, attempt));
  if (executed?.type === 'not_found') {
    return unknownPage(request);
  }
  const leaves = choice === 'give_up' || intent.terms.kind === 'express';
  // If the attempt was resolved before, the payment's page shows that outcome.
  const returnUrl =
    leaves && executed !== null && executed.rejection !== 'attempt_not_pending'
      ? returnUrlFor(executed.intent)
      : null;
  return seeOther(returnUrl ?? checkoutUrl);
}

const OUTCOME: Readonly<Record<SimulatorChoice, Outcome>> = {
  approve: { type: 'succeeded', receipt: null },
  decline: { type: 'failed', reason: 'declined' },
  give_up: { type: 'failed', reason: 'abandoned' },
};

/** One commit. Only a hosted payment survives its failed attempt and can be abandoned. */
export function simulatedCommands(
  choice: SimulatorChoice,
  { terms }: Pick<Intent, 'terms'>,
  { id: attemptId }: Pick<Attempt, 'id'>,
): readonly Command[] {
  const resolve: Command = {
    type: 'resolve_attempt',
    attemptId,
    outcome: OUTCOME[choice],
    // A resolved attempt keeps its outcome.
    onlyPending: true,
  };
  return choice === 'give_up' && terms.kind === 'hosted'
    ? [resolve, { type: 'abandon_payment' }]
    : [resolve];
}

function isChoice(text: string): text is SimulatorChoice {
  return Object.hasOwn(OUTCOME, text);
}

/** The attempt that the link names, if it uses the simulator. */
function simulatedAttempt({ intent, link }: LinkCall): Attempt | null {
  const attempt = intent.attempts[link.index];
  return attempt?.railId === simulator.id ? attempt : null;
}
