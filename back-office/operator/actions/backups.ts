import type { OperatorAction } from './action.ts';

/** `scripts/operator/backup.ts` repeats it until the backup is finished. */
const BACK_UP_NOW: OperatorAction = {
  path: '/backups',
  answers: 'backup',
  async run({ payments, actor, env }, target, fields) {
    if (fields.continues !== true) {
      const { exportDatabase } = await import('../../backup.ts');
      await exportDatabase(env, { isExtra: true });
    }
    const content = await payments.operations.backUpNow(actor, target, fields);
    return { message: 'Backed up', content };
  },
  fields: { continues: {} },
  commands: [],
};

export const BACKUP_ACTIONS = [BACK_UP_NOW];
