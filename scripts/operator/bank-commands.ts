import type { Command } from './command.ts';
import { UsageError } from './command.ts';
import { table } from './text.ts';
import * as values from './values.ts';

interface Bank {
  readonly code: string;
  readonly name: string;
  readonly supportsWithdrawal: boolean;
}

const bankLines = (banks: readonly Bank[]) =>
  table(
    ['CODE', 'WITHDRAWAL', 'NAME'],
    banks.map(({ code, name, supportsWithdrawal }) => [
      code,
      supportsWithdrawal ? 'yes' : 'no',
      name,
    ]),
    'No banks.',
  );

const WITHDRAWAL = {
  value: 'yes|no',
  about: 'whether splits can be paid out to this bank',
} as const;

export const BANK_COMMANDS: readonly Command[] = [
  {
    name: 'bank list',
    about: 'list the banks that splits can name',
    positionals: [],
    options: {},
    examples: ['bank list'],
    request: () => ({ path: '/banks' }),
    lines: bankLines,
  },
  {
    name: 'bank add',
    about: 'add a bank; its code can never change',
    positionals: ['CODE'],
    options: {
      name: { value: 'TEXT', about: 'name of the bank', isRequired: true },
      withdrawal: { ...WITHDRAWAL, isRequired: true },
    },
    examples: ['bank add NEWBANK --name "New Bank" --withdrawal yes'],
    request: (given) => ({
      path: '/banks',
      body: {
        code: given.at('CODE'),
        name: given.option('name'),
        supportsWithdrawal: values.yesOrNo(given.option('withdrawal') ?? ''),
      },
    }),
    lines: (bank: Bank) => bankLines([bank]),
  },
  {
    name: 'bank set',
    about: 'change the name of a bank, or whether splits can be paid out to it',
    positionals: ['CODE'],
    options: { name: { value: 'TEXT', about: 'new name' }, withdrawal: WITHDRAWAL },
    examples: ['bank set NEWBANK --withdrawal no'],
    request: (given) => {
      const [name, withdrawal] = [given.option('name'), given.option('withdrawal')];
      if (name === undefined && withdrawal === undefined) {
        throw new UsageError('nothing to change: give --name, --withdrawal or both');
      }
      return {
        path: `/banks/${given.segment('CODE')}`,
        body: {
          ...(name !== undefined && { name }),
          ...(withdrawal !== undefined && { supportsWithdrawal: values.yesOrNo(withdrawal) }),
        },
      };
    },
    lines: (bank: Bank) => bankLines([bank]),
  },
];
