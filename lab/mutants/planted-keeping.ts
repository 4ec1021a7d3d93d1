/**
 * Mistakes in what keeps data and deployments: retention, erasure, backup, restore, maintenance,
 * `npm run deploy` and the keys. As in `lab/mutants/planted.ts`.
 */
export const PLANTED_KEEPING: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'src/engine/domain/retention.ts': {
    'return hold !== null && (hold.untilMs === null« || hold.untilMs > nowMs→»);':
      'a legal hold with an end does not hold',
    'const isOver = «hasEnded(intent.status) && →»intent': 'an open payment is deleted',
    'hasEnded(intent.status)« && intent.refunds.every(hasRefundEnded)→»;':
      'a payment is deleted while a refund of it is under way',
    'if (!isOver ||« isSending ||→» hold?.untilMs === null) {':
      'a payment is deleted before its last event has arrived',
    'isSending« || hold?.untilMs === null→») {':
      'a payment under a legal hold is deleted after its retention',
    'return «Math.max(intent.updatedAtMs + retentionMs, hold?.untilMs ?? 0)→intent.updatedAtMs + retentionMs»;':
      'a payment is deleted before its legal hold ends',
  },
  'src/engine/domain/restored.ts': {
    'const version = backup.version + «LOST_VERSIONS_MAX→1»;':
      'an event after a restore seems older than those of the lost gateway',
    "attempt.startClaim === «'free'→'not_needed'»":
      'a prompt that was sent after the backup is repeated',
    "return refund.status === «'pending'→'processing'»":
      'a refund that was sent after the backup is sent again',
    'return hasEnded(status)« && refunds.every(hasRefundEnded)→»;':
      'a restored payment with a refund under way is not marked',
    '«    anomalies: [...backup.anomalies, mark],\n→»': 'no restored payment is marked or held',
  },
  'src/engine/domain/restored-hold.ts': {
    'Math.max(intent.terms.expiresAtMs, «restoredHoldEndsAtMs(intent) ?? →»0);':
      'a payment that was paid after the backup expires',
    'return nowMs < («restoredHoldEndsAtMs(intent) ?? →»0);':
      'a payment that was paid after the backup is canceled, or paid once more',
    'const isHeld = mark«?.reviewedAtMs === null→ !== undefined» &&':
      "an operator's review does not end the hold of a restored payment",
  },
  'src/engine/domain/erasure.ts': {
    'if («isHeld(hold, nowMs)→false») {': 'a payment under a legal hold is erased',
    'if («intent.anomalies.some(({ reviewedAtMs }) => reviewedAtMs === null)→false») {':
      'a payment is erased before an operator has looked at its money',
    'if («!hasEnded(intent.status)→false») {': 'an open payment is erased',
    'if («intent.attempts.some(isPending)→false») {': 'a payment is erased that may be paid',
    'if («!intent.refunds.every(hasRefundEnded)→false») {':
      'a payment is erased before the money was returned',
    'refundAgeDaysMax !== null && «!isTooOldToRefund(paidAtMs, refundAgeDaysMax, nowMs)→Number.isNaN(paidAtMs)») {':
      'a payment is erased that its merchant may still refund',
    'if («reportsEndAtMs > nowMs→false») {':
      "a provider's late report of money finds no payment, because it was erased",
    'return «isSending→false» ?': 'a payment is erased before its last event has arrived',
  },
  'src/recovery/payments/records.ts': {
    'backup) >= «backup.order→Number.POSITIVE_INFINITY») {':
      'an old line of a backup replaces a newer payment',
    'backup) «>=→>» backup.order) {': 'a payment is restored, and marked, twice',
    'return «stored.restoredFrom === from.part→false» ?':
      'the proof misses payments that a step restored before it died',
    'if («known !== null && known.terms.uuid !== newer?.terms.uuid→false») {':
      'another payment with the id is not reported',
    'return intent === null ? «Number.POSITIVE_INFINITY→0» :':
      'a restore brings an erased payment back',
    'if (stored === undefined« || !(stored.schemaVersion <= SCHEMA_VERSION)→») {':
      'rows of a newer release are stored, and nothing can read them',
    'orderOf(intent, «record.events()→[]»)\n':
      'a payment whose deliveries moved is overwritten by its own backup',
    'restoredOrder === undefined || «isCopiedSince→intent !== null»\n':
      'the newer copy of a payment is refused, because an older one came back first',
    'restoredOrder === undefined« || isCopiedSince→»\n':
      'an older copy sets back a payment that went on after its restore',
    'return «hasAllOf(newer, known)→true» &&':
      'a newer copy replaces what a provider has reported since',
    'record.apply(«proofsIn(newer, known)→[]», nowMs)':
      'the proof of money in a newer copy is lost, because the payment has gone on',
  },
  'src/recovery/point-in-time/restore-point.ts': {
    "startClaim === «'taken'→'free'» && deadlineAtMs > atMs,":
      'a payment that is set back calls its provider again',
    'if («intent.refunds.some(({ updatedAtMs }) => updatedAtMs > atMs)→false») {':
      'a payment that is set back forgets a refund, which is made again',
    'if («(stored.hold?.changedAtMs ?? 0) > atMs→false») {':
      'a payment that is set back forgets its legal hold',
    '«  record.freeze();\n→»': 'a payment that is being set back acknowledges what it will forget',
    'if («!isVouchedFor→false») {':
      'an unreadable payment is set back although nothing says what it remembers',
  },
  'src/engine/intent/keeping.ts': {
    'if («reason !== null→reason?.untilMs === 0») {': 'a payment is erased that must be kept',
    'untilMs: nowMs«, changedAtMs: nowMs→» };':
      'the book does not learn of a released legal hold, and keeps personal data',
  },
  'src/recovery/payments/erase.ts': {
    '«  await bookOf(env, tenant, volume).settleBackup();\n→»':
      'a part in progress brings an erased payment back into the backup',
    'if («records?.length === 0→records === undefined») {':
      'an erasure whose object is lost empties the only copy of the payment',
    'if («await rewritePart(env, name, lines, part)→(await rewritePart(env, name, lines, part)) || true») {':
      'of two erasures in one part at once, one does nothing',
    'map((one) => «Math.floor(one / IDS_PER_MS)→one»);':
      'a payment of a rebuilt book stays in the backup after its erasure',
  },
  'src/recovery/payments/book-backup.ts': {
    'if («known.some(({ key }) => key !== name || !isRepeated)→false») {':
      'a book that was set back to an earlier time overwrites its backup',
    'if («await isRestoring(this.#env.DB)→false») {': 'a book deletes a part that a restore needs',
    'if («renewed !== key→false») {': 'the only copy of a payment under a legal hold is deleted',
    "if (records === 'failed'« || records?.length === 0→») {":
      'the only copy of a payment whose object is lost is deleted',
    'paymentRetentionMs(this.#env)« + BACKUP_KEPT_MS→»;':
      'the backup of a payment is deleted together with it',
  },
  'src/lists/book/backup-state.ts': {
    'backUpLater(sql, claim.isNew ? «failed→[]» :':
      'a payment that could not be read once is never copied',
    'backUpLater(sql, claim.isNew ? failed : «[...failed, ...rest]→failed»);':
      'changed payments beyond the size of a part are never copied',
    "«    sql.exec('UPDATE backup SET to_id = ?', ids.at(-1) ?? 0);\n→»":
      'new payments beyond the size of a part are never copied',
    'SELECT ?1 FROM backup WHERE to_id «>=→>» ?1':
      'a change of the last payment of a part is not copied',
    '    «Number(isWritten)→1»,': 'a backup seems to lack parts that were never written',
  },
  'src/recovery/backup/expiry.ts': {
    'if (isOld« && run !== keptRun→») {':
      'the newest backup is deleted when five weeks bring no newer one',
    'startedAtMs <= nowMs« - BACKUP_KEPT_MS→»;': "yesterday's backup is deleted",
    'if (atMs === null || atMs «>→<» untilMs) {':
      'the addresses of an audit log stay in its backup',
  },
  'src/recovery/incomplete.ts': {
    'return «first === null || →»isRestoring(db);':
      'an empty gateway makes a backup, and the last one of the lost gateway ages',
  },
  'src/recovery/backup/daily.ts': {
    "«await writePart(env, manifestName(run), [manifest], nowMs);\n  await finishRun(env.DB, 'payments', run, nowMs);→await finishRun(env.DB, 'payments', run, nowMs);\n  await writePart(env, manifestName(run), [manifest], nowMs);»":
      'a crash at the end of a run leaves it without a manifest',
    "registers: «await registerExports(env.DB, run, 'refunds')→[]»,":
      'refunds that only the register knows are not in the backup',
    "links: «await registerExports(env.DB, run, 'links')→[]»,":
      'payment links are not in the backup',
    'WEBHOOK_RSA_PRIVATE_KEYS_\\w+«|RAIL_\\w+_(?:SANDBOX|PRODUCTION)→»|ALERT':
      "the providers' secrets are not in the backup",
  },
  'src/recovery/backup/runs.ts': {
    'AND finished_at_ms IS NULL AND «leased_until_ms = ?5→?5 > 0»`,':
      'two calls write the parts of one run',
    'AND finished_at_ms IS NULL AND leased_until_ms <= «?3 RETURNING→max(?3, leased_until_ms) RETURNING»':
      'a call takes the run of another one',
  },
  'src/recovery/restore/parts.ts': {
    'const isSame = «(await digestIn(part.lines, expected.name)) === expected.sha256→true»;':
      'a part with other lines is restored without a word',
    '«  await register.restore({ refunds });\n→»':
      'a register forgets its refunds, and the id of one is used again',
    '«    await register.restore({ links });\n→»': 'payment links do not come back',
  },
  'src/recovery/restore/steps.ts': {
    'table === undefined« || wanted.table !== inserted.table || wanted.part !== inserted.part→») {':
      'a late request skips rows of members',
    "(name !== undefined && «only.includes(name)→name !== ''»)) {":
      'a later round brings back what members have removed since',
    'untaken: [...counted.untaken, «name→»]': 'a part that is put back is not taken',
    ', «...pauseStatements(table, rows)→...[]»];':
      'members may change what the operator had paused',
  },
  'src/recovery/restore-state.ts': {
    '?5, run, «NULL→run»)': 'a call that wakes up late begins a finished restore again',
  },
  'src/recovery/payments/restore.ts': {
    'next: «done < all.length→done < 0» ?':
      'of each part only the first hundred payments come back',
    ': { next: «await newestPlace(env, book, generation)→null» };':
      'payments of the generation before the newest do not come back',
    'sequence = «partOf(key)?.sequence ?? →»sequence;':
      'payments that were copied after the manifest do not come back',
    '«      await client.republish();\n→»': 'a restored payment is missing in its book',
    '«    await registerOf(env, tenant).restore({ payments });\n→»':
      'nobody learns of a refund that only the register knows',
    'day: businessDay(«createdAtMs→Math.max(createdAtMs, Date.now())») });':
      'restored refunds use up the limit of today',
    "outcome === 'restored'« || outcome === 'kept'→»;":
      'nobody learns of a refund that only the register knows, when its payment is back already',
  },
  'src/recovery/restore/rows.ts': {
    '${missing} AND ${isFree}`)«, insert(others, missing)→»];':
      'an entry of the audit log is lost because the new gateway has used its id',
  },
  'src/recovery/restore/unnamed-books.ts': {
    'if (part !== null && «!named.has(prefix)→prefix === null») {':
      'payments of a book that the manifest does not name do not come back',
  },
  'src/recovery/restore/proof.ts': {
    'inBackup !== null && inGateway «<→>» inBackup);': 'the proof does not name what is missing',
    '«      ...secretDifferences(env, manifest.secrets),\n→»':
      "the proof does not say that the providers' secrets are missing",
    '«      ...unread.flatMap(({ differences }) => differences),\n→»':
      'a damaged part of a book that the manifest does not name is lost without a word',
    '«      ...refunds.flat(),\n→»': 'the proof does not name refunds that only the register knows',
  },
  'src/recovery/restore/gateway.ts': {
    'if (merchants !== 0« || memberRows > 0→») {': 'a restore mixes members of two gateways',
    '«    maintenanceStatement(call, `Restored from the backup ${run}`),\n→»':
      'a restored gateway repeats refunds that were made after the backup',
    'if («missing !== undefined→missing === null») {':
      'a backup of a newer release is restored without its new columns',
    'if (!isOver && («missing === null || without !== undefined→true»)) {':
      'a restore closes by itself while something is missing',
    'const isNew = «(await readIfWhole(call.env, name)).part === null→true»;':
      'an upload brings back what was erased from the bucket',
  },
  'src/control/modes/modes.ts': {
    'restore.finishedAtMs === «null→0») {':
      'the maintenance ends in the middle of a restore, and new payments take ids of the backup',
  },
  'src/engine/api/routes/create-payment.ts': {
    'if (!validated.ok« || access.isInMaintenance→») {': 'payments are created during maintenance',
  },
  'src/engine/merchants/data-center-copy.ts': {
    'ageMs < COPY_AGE_MS_MAX «&& ageMs >→|| ageMs <» -AHEAD_MS_MAX ?':
      'a revoked key works for longer than five minutes while D1 fails',
    "|| 'none'}/${«name→name.length»}`;": "a key opens another merchant's payments while D1 fails",
    '«  await attempt(() => cache().delete(address));\n→»':
      'a key that D1 has refused works on a cold isolate while D1 fails',
  },
  'src/engine/domain/receipt-claim.ts': {
    "«step.intent.status === 'succeeded' || →»!isPending(attempt)":
      'a customer claims a payment that is paid',
    'claimedReceipts.length >= «CLAIMS_MAX→CLAIM_TEXT_LENGTH_MAX» ||':
      "a flood of claims fills the payment's record",
  },
  'src/engine/intent/projection-message.ts': {
    '«claimSearchKey(stored)→stored»': "a claim counts as another payment's receipt",
  },
  'src/lists/book/try-counter.ts': {
    'phoneFrom(number) === null« &&\n    !DATE_END.test(text)→»':
      'bills of two days are called one order',
  },
  'src/lists/book/same-order.ts': {
    '[«phones→keys».map(quotedTerm), ids]': "two customers' payments are called one order",
    'mayBeSameOrder(uniqueId, other.uniqueId)«→ || other.uniqueId !== uniqueId»':
      'ids that differ in case are called one order',
  },
  'src/control/customers/erase.ts': {
    'const kept = «waiting.has(payment.uuid)→payment.uuid === null»':
      'a payment on the attention list is erased',
    '«  await eraseFromBackup(env, tenant, { volume, id, uniqueId });\n→»':
      'an erased payment stays in the backup',
    '«  await runBatch(env.DB, remains(payment, client.objectName));\n→»':
      "an operator's note and a dead letter keep an erased customer's data",
  },
  'src/control/customers/requests.ts': {
    'searched_at_ms IS NOT NULL AND «NOT EXISTS→(digest = digest) OR NOT EXISTS» (\n':
      'a request ends while payments of it are kept',
  },
  'scripts/deploy/release.ts': {
    '«    await goBack(run, name, old, current);\n→»': 'a version that fails keeps its requests',
    '«    await selfCheck(run, plane, name, current.id);\n→»':
      'a version that finds itself wrong keeps its requests',
    'const hasAll = «split?.percentage === WHOLE→split !== null»;':
      'an interrupted deployment ends without the schedules and routes of its version',
    'const newer = since < 0 ? versions : «versions.slice(0, since)→versions»;':
      'a version with old secrets is deployed',
    'if («release.hasOtherConfig→false») {':
      'schedules, consumers and routes of a version are never deployed',
  },
  'scripts/deploy/going-back.ts': {
    'return status === null« || status === 401→» ||': 'an expired login keeps a bad version live',
    'if (left === 0 || «!mayPass(error)→true») {': 'one failed call keeps a bad version live',
  },
  'scripts/deployment/deployed-worker.ts': {
    'backTo = messageOf(deployment) === DEPLOYMENT_MESSAGES.back ? «id→undefined» : undefined;':
      'a rollback brings back what was taken back',
    'isProved: «messageOf(last) !== DEPLOYMENT_MESSAGES.step→true»,':
      'an interrupted deployment counts as proved',
    'isWhole: «last?.versions.length === 1→true»,':
      'a version that a change of secrets gave all requests lacks its schedules and routes',
    'deployments.find((one) => «!isOfSecrets(one)→one !== null»);':
      'a change of secrets counts as the checks of an interrupted deployment',
    'previous: before.find(«isOther→() => true») ?? null':
      'a rollback goes back to the same code with older secrets',
    'olderCode: before.find((version) => «!hasSameCode(version, current)→version !== current») ?? null':
      'a rollback goes back to the same code with another configuration',
  },
  'scripts/deploy/checks.ts': {
    'const removed = «classes→classes.slice(classes.length)».filter(':
      'a version without a class of the deployed one is mixed with it',
  },
  'scripts/deploy/run.ts': {
    '  if («migrations.length > 0→migrations.length > 99») {':
      'code is deployed without its tables',
    '  if («changed.length > 0→changed.length > 99») {':
      'versions with other classes of objects are mixed',
    'if (split !== null && split.current.tag !== «tag→split.current.tag») {':
      'two deployments are mixed',
    'const targets = PLANES«.toReversed()→».flatMap(':
      'a rollback takes the payments back before the back office, which calls them',
    'worker.shares.length === 1 &&« worker.isProved &&→» isNewest;':
      'a deployment that was interrupted before its checks counts as done',
  },
  'scripts/deploy/smoke.ts': {
    'if («found === versionId→found !== null») {': 'the old version proves the new one',
    'if («answer.ok→answer.status > 0») {': 'a version that answers with errors passes',
    'if («found.get(NAMING[plane])?.includes(versionId)→found.size > 0») {':
      'a self-check of the old version proves the new one',
  },
  'scripts/setup/values.ts': {
    'if («messages.length > 0→messages.length > 99») {':
      'a value that stops the gateway is uploaded',
  },
  'scripts/setup/check-step.ts': {
    'if (reversals.length === 0 || «!isNew→false») {':
      'a repair is undone for something that was wrong before',
  },
  'scripts/deployment/keys.ts': {
    'return `«${ring}:→»${keyId}`;': "one ring's sealed key passes for another's",
    '«  checkFingerprint(deployment, recoveryKey);\n→»  const rings':
      "secrets are derived from another deployment's recovery key",
    '[ring, [«...added[ring], →»...sealed]] as const':
      'a rotated recovery key leaves the keys that the old one makes first',
    'slice(0, «19→10»)': 'two rotations of one day have one key id',
  },
  'scripts/deployment/operators-file.ts': {
    'file?.name === name« && digestOf(file.secret) === sha256→»;':
      'an operator goes on with the secret that is about to end',
  },
  'scripts/deployment/recovery-key.ts': {
    'derive(key, `«${secret}:→»${keyId}`)': 'all rings have the same key',
    'if («!checksumOf(key).equals(bytes.subarray(KEY_BYTES))→bytes.length === 0») {':
      'a mistyped recovery key derives other secrets',
  },
};
