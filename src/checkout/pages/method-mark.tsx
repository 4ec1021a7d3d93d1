import type { Method } from '../../domain/method.ts';

/** A method's tile with its initials, because logos of the methods are trademarks. */
export function MethodMark({ method }: { readonly method: Method }) {
  const [letters, tone] = MARK[method];
  return (
    <span class={`mark mark-${tone}`} aria-hidden="true">
      {letters}
    </span>
  );
}

const MARK: Readonly<Record<Method, readonly [letters: string, tone: 1 | 2 | 3 | 4 | 5 | 6]>> = {
  TELE_BIRR: ['t', 1],
  TELE_BIRR_USSD: ['*#', 2],
  CBE: ['C', 3],
  ETS_SWITCH: ['ES', 4],
  M_PESA: ['M', 5],
  E_BIRR: ['eB', 6],
};
