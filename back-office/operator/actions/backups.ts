import type { OperatorAction } from './action.ts';

/** `scripts/operator/backup.ts` repeats it until the backup is finished. */
const BACK_UP_NOW: OperatorAction = {
  path: '/backups',
  answers: 'backup',
  run: async (call, target, fields) => {
    const { backUp } = await import('../back-up.ts');
    return backUp(call, target, fields);
  },
  fields: { continues: {}, hasMembers: {} },
  commands: [],
};

export const BACKUP_ACTIONS = [BACK_UP_NOW];
