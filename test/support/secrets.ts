import { generateKeyPairSync } from 'node:crypto';

/** Fresh secrets for one test run, in the configuration's format. */
export function testSecrets(): Record<string, string> {
  const rsa = () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    return privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
  };
  return {
    LINK_SIGNING_KEYS: `t1:${Buffer.alloc(32, 1).toString('base64')}`,
    DATA_ENCRYPTION_KEYS: `t1:${Buffer.alloc(32, 2).toString('base64')}`,
    BACKUP_KEYS: `t1:${Buffer.alloc(32, 4).toString('base64')}`,
    BACK_OFFICE_KEYS: `t1:${Buffer.alloc(32, 3).toString('base64')}`,
    WEBHOOK_RSA_PRIVATE_KEYS_SANDBOX: `s1:${rsa()}`,
    WEBHOOK_RSA_PRIVATE_KEYS_PRODUCTION: `p1:${rsa()}`,
    OPERATOR_SECRETS: [
      `kfl_op_${'n'.repeat(43)}`,
      `kfl_op_${'o'.repeat(43)}`,
      `Hana:kfl_op_${'h'.repeat(43)}`,
      `Dawit:kfl_op_${'d'.repeat(43)}`,
    ].join(','),
  };
}
