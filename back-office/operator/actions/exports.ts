import { by, type OperatorAction, optional, required } from './action.ts';
import { MERCHANT } from './merchant.ts';

/** Files with one row a line. The commands that go through all pages are scripts/operator/export.ts. */

export const EXPORT_PAYMENTS: OperatorAction = {
  path: `${MERCHANT}/:environment/export`,
  answers: 'export',
  run: by(
    ({ exportPayments }) => exportPayments,
    (content) => ({ message: 'Exported', content }),
  ),
  fields: {
    phones: optional('masked|full', 'whole phone numbers, or their last digits (default: masked)'),
    after: {},
  },
  commands: [],
};

export const EXPORT_STATEMENTS: OperatorAction = {
  path: '/statements/:environment/export',
  answers: 'export',
  run: by(
    ({ exportStatements }) => exportStatements,
    (content) => ({ message: 'Exported', content }),
  ),
  fields: {
    period: required('DAYS', 'day or month of Addis Ababa, such as 2026-11-28 or 2026-11'),
    after: {},
  },
  commands: [],
};

export const EXPORT_AUDIT: OperatorAction = {
  path: '/audit/export',
  answers: 'export',
  run: async (call, _target, fields) => {
    const { exportedAudit } = await import('../../audit.ts');
    return { message: 'Exported', content: await exportedAudit(call, fields) };
  },
  fields: { month: {}, after: {} },
  commands: [],
};

export const EXPORT_ACTIONS = [EXPORT_PAYMENTS, EXPORT_STATEMENTS, EXPORT_AUDIT];
