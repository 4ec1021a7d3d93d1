import type { Deployment } from '../../scripts/deployment/deployment-file.ts';

/** A deployment on two hosts of one zone, with one key in each ring. */
export function deploymentFixture(changes: Partial<Deployment> = {}): Deployment {
  const keys = ['k20261127010000'];
  return {
    account: { id: 'a'.repeat(32), name: 'Example' },
    recoveryKey: '0'.repeat(16),
    addresses: { payments: 'https://pay.example.com', backOffice: 'https://office.example.com' },
    zones: { payments: 'example.com', backOffice: 'example.com' },
    jurisdiction: '',
    locationHint: 'afr',
    hasBackups: true,
    variables: { payments: {}, backOffice: {} },
    keys: {
      LINK_SIGNING_KEYS: keys,
      DATA_ENCRYPTION_KEYS: keys,
      BACKUP_KEYS: keys,
      BACK_OFFICE_KEYS: keys,
      WEBHOOK_RSA_PRIVATE_KEYS_SANDBOX: [],
      WEBHOOK_RSA_PRIVATE_KEYS_PRODUCTION: [],
    },
    operators: [{ name: 'Sara', keyId: 'k20261127010000', sha256: '0'.repeat(64) }],
    uploaded: {},
    uploadedAt: {},
    expireInSecondsMax: 31_622_400,
    released: { payments: [], backOffice: [] },
    ...changes,
  };
}
