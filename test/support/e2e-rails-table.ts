import { APP_FORMS, type AppForm } from '../../src/engine/domain/app-form.ts';
import { METHODS, type Method, TRAITS } from '../../src/engine/domain/method.ts';

/** The rows of the matrix. */

export interface Cell {
  readonly method: Method;
  readonly kind: 'hosted' | 'express';
  /** Where the customer pays instead of on the provider's page. */
  readonly telebirrForm?: AppForm;
}

/** Every method in both kinds. */
export const CELLS: readonly Cell[] = METHODS.flatMap((method): Cell[] => [
  { method, kind: 'hosted' },
  { method, kind: 'express' },
]);

/** telebirr in its app, where a gateway has `hasAppForms`. */
export const APP_CELLS: readonly Cell[] = APP_FORMS.map((telebirrForm) => ({
  method: 'TELE_BIRR',
  kind: 'express',
  telebirrForm,
}));

export const HOSTED = CELLS.filter(({ kind }) => kind === 'hosted');
export const EXPRESS = CELLS.filter(({ kind }) => kind === 'express');

/** Methods whose customers are redirected to a page of the provider. */
export const REDIRECTS: readonly Method[] = METHODS.filter(
  (method) => TRAITS[method].confirmsOn === 'page',
);

/** Rails with a status query. */
export const ASKABLE: readonly Method[] = ['TELE_BIRR', 'CBE'];

/**
 * Commission of the demo merchant. Never rounded: the amounts of the matrix are multiples of 2.00.
 */
const COMMISSION: Readonly<Partial<Record<Method, (amountMinor: number) => number>>> = {
  TELE_BIRR: (amountMinor) => amountMinor * 0.025,
  M_PESA: (amountMinor) => amountMinor * 0.015 + 100,
};

export function commissionMinor(method: Method, amountMinor: number): number {
  return COMMISSION[method]?.(amountMinor) ?? 0;
}
