import { type ApiKeyView, apiKeyBy, apiKeys } from '../../merchants/keys.ts';
import { answerPage } from '../../ui/answer.ts';
import type { DashboardCall } from '../call.ts';
import { tenantOf } from '../call.ts';
import { noticePage } from '../notices.tsx';
import { isKeyId, type NameProblem } from './key-form.ts';
import { KeyPage } from './key-page.tsx';
import { KeysPage } from './keys-page.tsx';

/** GET …/keys. */
export async function showKeys(call: DashboardCall): Promise<Response> {
  return answerKeys(call, {});
}

/** Why a key was not made. */
export type CreateProblem = NameProblem | 'too_many' | 'sent_twice';

/** The list, after a form that was not carried out with what was typed and why. */
export async function answerKeys(
  call: DashboardCall,
  refused: { readonly name?: string; readonly problem?: CreateProblem },
): Promise<Response> {
  const keys = await apiKeys(call.env.DB, tenantOf(call), call.nowMs);
  const status = refused.problem === undefined ? 200 : statusOf(refused.problem);
  return answerPage(call, KeysPage({ call, keys, ...refused }), { status });
}

/** GET …/keys/:key: what can be done with one. */
export async function showKey(call: DashboardCall): Promise<Response> {
  const key = await namedKey(call);
  return key === null ? noticePage(call, 'not_found') : answerKey(call, key, {});
}

export interface RefusedChange {
  /** As it was typed. */
  readonly name?: string;
  readonly nameProblem?: NameProblem;
  readonly rollProblem?: 'overlap' | 'too_many' | 'sent_twice' | 'ended';
}

export function answerKey(call: DashboardCall, key: ApiKeyView, refused: RefusedChange): Response {
  const problem = refused.nameProblem ?? refused.rollProblem;
  const status = problem === undefined ? 200 : statusOf(problem);
  return answerPage(call, KeyPage({ call, apiKey: key, refused }), { status });
}

/** The key that the path names, or null when this tenant has none such. */
export async function namedKey(call: DashboardCall): Promise<ApiKeyView | null> {
  const digest = call.params.key ?? '';
  return isKeyId(digest) ? apiKeyBy(call.env.DB, tenantOf(call), { digest }) : null;
}

function statusOf(problem: CreateProblem | NonNullable<RefusedChange['rollProblem']>): number {
  return problem === 'too_many' || problem === 'sent_twice' || problem === 'ended' ? 409 : 400;
}
