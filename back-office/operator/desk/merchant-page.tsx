import type { MerchantDetails, MerchantKey } from '../../../src/control/rpc/operator.ts';
import { CURRENCIES, majorText } from '../../../src/kit/money.ts';
import type { Environment } from '../../../src/kit/tenant.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { useMoney } from '../../elements/payment-elements.tsx';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS, DESK_TEXTS } from '../../i18n/texts.ts';
import {
  Badge,
  ButtonLink,
  CopyText,
  Facts,
  Message,
  Section,
  Table,
  When,
} from '../../ui/elements.tsx';
import { shownText } from '../../ui/untrusted-text.ts';
import { readMembers } from '../members.ts';
import type { DeskCall } from './call.ts';
import { newLink } from './forms.tsx';
import { answerDesk, Frame } from './frame.tsx';
import { exportPath, merchantPath, PATHS } from './paths.ts';
import { commissionText } from './setting-texts.ts';

type Members = Awaited<ReturnType<typeof readMembers>>;

interface Props {
  readonly merchant: MerchantDetails;
}

/** GET …/merchants/:merchantId: its state, members, methods and limits. */
export async function showMerchantPage(call: DeskCall): Promise<Response> {
  const merchant = await call.payments.operator.merchantContent(call.params);
  const [members, keys, link] = await Promise.all([
    readMembers(call, merchant),
    call.payments.operator.merchantKeys(call.params),
    newLink(call),
  ]);
  return answerDesk(
    call,
    <MerchantPage merchant={merchant} members={members} keys={keys} link={link} />,
  );
}

interface PageProps extends Props {
  readonly members: Members;
  readonly keys: readonly MerchantKey[];
  readonly link: string | null;
}

function MerchantPage({ merchant, members, keys, link }: PageProps) {
  const text = useTexts(DESK_TEXTS).pages;
  return (
    <Frame active="merchants" title={shownText(merchant.name)}>
      {link !== null && (
        <Message tone="good">
          <p>{text.linkOnce}</p>
          <CopyText id="link" label={text.link} value={link} isLong />
        </Message>
      )}
      <MerchantFacts merchant={merchant} members={members} />
      <MemberList {...members} merchant={merchant} />
      {(['production', 'sandbox'] as const).map((environment) => (
        <Settings merchant={merchant} environment={environment} keys={keys} />
      ))}
    </Frame>
  );
}

function MerchantFacts({ merchant, members }: Props & { readonly members: Members }) {
  const text = useTexts(DESK_TEXTS).pages;
  const isNew = members.members.length + members.invitations.length === 0;
  const { id, status, createdAtMs, refundAgeDaysMax, refundDailyMaxMinor } = merchant;
  const isActive = status === 'active';
  return (
    <Section id="facts" title={text.merchant}>
      <Facts
        rows={[
          [text.id, <code>{id}</code>],
          [text.state, <Badge tone={isActive ? 'good' : 'bad'}>{text.status[status]}</Badge>],
          [text.created, <When atMs={createdAtMs} />],
          [text.refundAgeDays, refundAgeDaysMax],
          [
            text.refundDaily,
            refundDailyMaxMinor === null ? text.noLimit : majorText(refundDailyMaxMinor),
          ],
        ]}
      />
      <div class="buttons">
        {isActive && (
          <a class={isNew ? 'button primary' : 'button'} href={merchantPath(id, '/invite')}>
            {text.invite}
          </a>
        )}
        <ButtonLink to={`${PATHS.payments}?merchant=${id}`}>{text.nav.payments}</ButtonLink>
        <ButtonLink to={`${PATHS.audit}?merchant=${id}`}>{text.nav.audit}</ButtonLink>
        <ButtonLink to={merchantPath(id, '/refund-limits')}>{text.refundLimits}</ButtonLink>
        {status !== 'closed' && (
          <ButtonLink to={merchantPath(id, isActive ? '/suspend' : '/reactivate')}>
            {isActive ? text.suspend : text.reactivate}
          </ButtonLink>
        )}
        {status === 'suspended' && (
          <ButtonLink to={merchantPath(id, '/close')}>{text.closeMerchant}</ButtonLink>
        )}
      </div>
    </Section>
  );
}

function MemberList({ members, invitations, merchant }: Members & Props) {
  const text = useTexts(DESK_TEXTS).pages;
  const { role: roles } = useTexts(DASHBOARD_TEXTS).frame;
  return (
    <Section id="members" title={text.people} class="part">
      <Table
        caption={text.people}
        columns={[text.name, text.role, text.passkeys, text.since, text.actions]}
        rows={members.map(({ id, name, role, passkeys, createdAtMs }) => [
          <bdi>{shownText(name)}</bdi>,
          roles[role],
          passkeys,
          <When atMs={createdAtMs} />,
          <MemberLinks
            path={merchantPath(merchant.id, `/members/${id}`)}
            mayRecover={merchant.status === 'active'}
          />,
        ])}
        empty={text.noMembers}
      />
      {invitations.length > 0 && (
        <>
          <h3>{text.openLinks}</h3>
          <Table
            caption={text.openLinks}
            columns={[text.name, text.role, text.invitedBy, text.expires, text.actions]}
            rows={invitations.map(({ id, name, role, invitedBy, expiresAtMs }) => [
              <bdi>{shownText(name)}</bdi>,
              roles[role],
              <bdi>{shownText(invitedBy)}</bdi>,
              <When atMs={expiresAtMs} />,
              <a class="nowrap" href={merchantPath(merchant.id, `/invitations/${id}/revoke`)}>
                {text.revokeLink}
              </a>,
            ])}
            empty={text.none}
          />
        </>
      )}
    </Section>
  );
}

function MemberLinks({
  path,
  mayRecover,
}: {
  readonly path: string;
  readonly mayRecover: boolean;
}) {
  const text = useTexts(DESK_TEXTS).pages;
  return (
    <span>
      {mayRecover && (
        <>
          <a href={`${path}/recovery`}>{text.recoverMember}</a>
          {' · '}
        </>
      )}
      <a href={`${path}/remove`}>{text.removeMember}</a>
    </span>
  );
}

/** Methods with their commission, limits and the number of API keys, in one environment. */
function Settings({
  merchant,
  environment,
  keys,
}: Props & Pick<PageProps, 'keys'> & { readonly environment: Environment }) {
  const text = useTexts(DESK_TEXTS).pages;
  const { methods, limitsMinor, apiKeys } = merchant[environment];
  const { methodName } = useTexts(CHECKOUT_TEXTS);
  const title = text.environment[environment];
  return (
    <Section id={environment} title={title} class="part">
      <Facts
        rows={[
          [text.apiKeys, apiKeys],
          ...CURRENCIES.map((currency) => {
            const limit = limitsMinor[currency] ?? null;
            return limit === null ? null : ([text.limit, useMoney(currency)(limit)] as const);
          }),
        ]}
      />
      <Table
        caption={`${title}: ${text.method}`}
        columns={[text.method, text.offered, text.enabled, text.commission, text.actions]}
        rows={methods.map(({ method, offered, enabled, basisPoints, fixedMinor }) => [
          methodName[method],
          offered ? text.yes : text.no,
          enabled ? text.yes : text.no,
          <span class="number">{commissionText({ basisPoints, fixedMinor })}</span>,
          <MethodLinks
            path={merchantPath(merchant.id, `/${environment}/methods/${method}`)}
            offered={offered}
            name={methodName[method]}
          />,
        ])}
        empty={text.none}
      />
      <KeyTable
        merchantId={merchant.id}
        caption={`${title}: ${text.apiKeys}`}
        keys={keys.filter((key) => key.environment === environment && key.revokedAtMs === null)}
      />
      <div class="buttons">
        <ButtonLink to={exportPath(merchant.id, environment)}>{text.exportPayments}</ButtonLink>
      </div>
    </Section>
  );
}

/** Each link's name says its method too, because all rows have the same links. */
function MethodLinks(props: {
  readonly path: string;
  readonly offered: boolean;
  readonly name: string;
}) {
  const { path, offered, name } = props;
  const text = useTexts(DESK_TEXTS).pages;
  const verb = offered ? 'withdraw' : 'offer';
  return (
    <span>
      <a class="nowrap" href={`${path}/${verb}`} aria-label={`${text[verb]}: ${name}`}>
        {text[verb]}
      </a>
      {' · '}
      <a class="nowrap" href={`${path}/commission`} aria-label={`${text.commission}: ${name}`}>
        {text.commission}
      </a>
    </span>
  );
}

function KeyTable(props: Pick<PageProps, 'keys'> & { merchantId: string; caption: string }) {
  const text = useTexts(DESK_TEXTS).pages;
  return (
    <Table
      caption={props.caption}
      columns={[text.apiKey, text.name, text.since, text.actions]}
      rows={props.keys.map(({ environment, digest, label, name, createdAtMs }) => [
        <code>{label}</code>,
        <bdi>{shownText(name)}</bdi>,
        <When atMs={createdAtMs} />,
        <a
          class="nowrap"
          href={merchantPath(props.merchantId, `/${environment}/keys/${digest}/revoke`)}
        >
          {text.revokeKey}
        </a>,
      ])}
      empty={text.none}
    />
  );
}
