import * as v from 'valibot';
import type { Method } from '../../engine/domain/method.ts';
import { withoutPhoneNumbers } from '../../engine/domain/phone.ts';
import { body } from '../../kit/http/strict-body.ts';
import { prepare } from '../../kit/platform/database.ts';
import type { Environment } from '../../kit/tenant.ts';
import {
  type ActionCall,
  action,
  changeAudited,
  type Gateway,
  type Target,
} from '../operator/call.ts';
import {
  environmentField,
  lineField,
  methodField,
  pathPart,
  SWITCH_TEXT_CHARACTERS_MAX,
} from '../operator/fields.ts';

/** One switch for each method of an environment, for all merchants: for the outage of a provider. */

export interface SwitchedOffMethod {
  readonly environment: Environment;
  readonly method: Method;
  readonly text: string | null;
  readonly startedAtMs: number;
  readonly by: string;
}

/** Those of production first. */
export async function readSwitchedOff({
  env,
}: Pick<Gateway, 'env'>): Promise<readonly SwitchedOffMethod[]> {
  const sql = `SELECT environment, method, text, since_ms AS startedAtMs, switched_off_by AS "by"
    FROM switched_off_methods ORDER BY environment, method`;
  return (await prepare(env.DB, { sql, params: [] }).all<SwitchedOffMethod>()).results;
}

function switchIn({ environment, method }: Target) {
  return {
    environment: pathPart(environmentField, environment),
    method: pathPart(methodField, method),
  };
}

/**
 * Within 10 s, a payment that can use no other method is refused, an express charge by the method
 * too, and pages offer it no more. Attempts under way continue. Again: changes the text.
 */
export const switchMethodOff = action(
  body({ text: v.optional(v.nullable(lineField(SWITCH_TEXT_CHARACTERS_MAX)), null) }),
  (call, target, { text }) => {
    const { environment, method } = switchIn(target);
    return changeSwitch(
      call,
      {
        sql: `INSERT INTO switched_off_methods (environment, method, text, since_ms, switched_off_by)
          VALUES (?1, ?2, ?3, ?4, ?5)
          ON CONFLICT DO UPDATE SET text = excluded.text WHERE text IS NOT excluded.text`,
        params: [environment, method, text, call.nowMs, call.actor.name],
      },
      {
        environment,
        target: method,
        action: 'method.switched_off',
        detail: { text: text === null ? null : withoutPhoneNumbers(text) },
      },
    );
  },
);

/** Within 10 s, payments can use the method again. */
export const switchMethodOn = action(body({}), (call, target) => {
  const { environment, method } = switchIn(target);
  return changeSwitch(
    call,
    {
      sql: 'DELETE FROM switched_off_methods WHERE environment = ?1 AND method = ?2',
      params: [environment, method],
    },
    { environment, target: method, action: 'method.switched_on' },
  );
});

async function changeSwitch(
  call: ActionCall,
  change: Parameters<typeof changeAudited>[1],
  act: Omit<Parameters<typeof changeAudited>[2], 'merchantId'>,
) {
  const isChanged = await changeAudited(call, change, { ...act, merchantId: null });
  return { isChanged, content: await readSwitchedOff(call) };
}
