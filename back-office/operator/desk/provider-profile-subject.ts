import type { ProviderProfile } from '../../../src/control/rpc/operator.ts';
import { found } from '../../../src/kit/http/problem.ts';
import { majorText } from '../../../src/kit/money.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { CHECKOUT_TEXTS, DESK_TEXTS } from '../../i18n/texts.ts';
import { shownText } from '../../ui/untrusted-text.ts';
import { VALUES_SEPARATOR } from '../actions/profile-form.ts';
import type { DeskCall, Shown } from './call.ts';

/** What the forms about profiles show. */

const NEW: Shown['values'] = {
  ...{ delimiter: 'comma', encoding: 'utf-8', headerRow: '1', decimal: 'point', currency: 'ETB' },
};

/** Problem 404 for the path of no method. */
export async function readNewProfile(call: DeskCall): Promise<Shown> {
  await call.payments.operator.providerProfiles(call.params);
  return { useFacts: () => [], values: NEW };
}

export async function readProviderProfile(call: DeskCall): Promise<Shown> {
  const profile = await namedProfile(call);
  return {
    useFacts: () => {
      const { environmentLabel, method, environment, providerUpload } = useTexts(DESK_TEXTS).pages;
      const names: Readonly<Record<string, string>> = {
        ...environment,
        ...useTexts(CHECKOUT_TEXTS).methodName,
      };
      return [
        [providerUpload.profile, shownText(profile.name)],
        [method, names[call.params.method ?? '']],
        [environmentLabel, names[call.params.environment ?? '']],
      ];
    },
    values: valuesOf(profile),
  };
}

/** The profile that the path names. */
export async function namedProfile({ payments, params }: DeskCall): Promise<ProviderProfile> {
  const profiles = await payments.operator.providerProfiles(params);
  return found(profiles.find(({ name }) => name === params.profile) ?? null);
}

function valuesOf({ columns, types, fee, ...profile }: ProviderProfile): Shown['values'] {
  const texts = Object.entries({
    ...profile,
    ...under('columns', columns),
    ...under('types', {
      payment: types?.payment.join(VALUES_SEPARATOR),
      refund: types?.refund?.join(VALUES_SEPARATOR),
    }),
    ...(fee && {
      'fee.basisPoints': majorText(fee.basisPoints),
      'fee.fixedMinor': majorText(fee.fixedMinor),
    }),
  });
  return Object.fromEntries(
    texts.flatMap(([name, text]) => (text === undefined ? [] : [[name, String(text)]])),
  );
}

function under(name: string, parts: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(parts).map(([part, text]) => [`${name}.${part}`, text]));
}
