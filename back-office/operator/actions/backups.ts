import type { OperatorAction } from './action.ts';

/** `scripts/operator/backup.ts` repeats it until the backup is finished. */
const BACK_UP_NOW: OperatorAction = {
  path: '/backups',
  answers: 'backup',
  async run({ payments, actor, env }, target, fields) {
    const { exportDatabase } = await import('../../backup.ts');
    // The manifest names what the back office has exported, so it follows.
    const isExported = await exportDatabase(env, { isExtra: fields.continues !== true });
    const begun = { run: null, isFinished: false, booksLeft: 0, isComplete: true };
    const content = isExported ? await payments.operations.backUpNow(actor, target, fields) : begun;
    return { message: 'Backed up', content };
  },
  fields: { continues: {} },
  commands: [],
};

export const BACKUP_ACTIONS = [BACK_UP_NOW];
