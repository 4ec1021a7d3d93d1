import { CURRENCIES, type Environment } from '../../../src/domain/method.ts';
import { majorText } from '../../../src/domain/money.ts';
import { moneyIn } from '../../elements/payment-elements.tsx';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS, DESK_TEXTS } from '../../i18n/texts.ts';
import {
  Badge,
  CopyText,
  DoneMessage,
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
import { answerDesk } from './frame.tsx';
import { merchantPath, PATHS } from './paths.ts';

type Merchant = Awaited<ReturnType<DeskCall['payments']['operations']['merchantContent']>>;
type Members = Awaited<ReturnType<typeof readMembers>>;

/** GET …/merchants/:merchantId: its state, members, methods and limits. */
export async function showMerchantPage(call: DeskCall): Promise<Response> {
  const { view } = call;
  const text = DESK_TEXTS[view.language].pages;
  const merchant = await call.payments.operations.merchantContent(call.params);
  const members = await readMembers(call, merchant);
  const children = (
    <>
      <DoneMessage call={view} texts={text.done} />
      <NewLink call={call} link={await newLink(call)} />
      <MerchantFacts call={call} merchant={merchant} />
      <MemberList call={call} {...members} />
      {(['production', 'sandbox'] as const).map((environment) => (
        <Settings call={call} merchant={merchant} environment={environment} />
      ))}
    </>
  );
  return answerDesk(call, { active: 'merchants', title: shownText(merchant.name), children });
}

function NewLink({ call, link }: { readonly call: DeskCall; readonly link: string | null }) {
  const text = DESK_TEXTS[call.view.language].pages;
  return link === null ? null : (
    <Message tone="good">
      <p>{text.linkOnce}</p>
      <CopyText call={call.view} id="link" label={text.link} value={link} isLong />
    </Message>
  );
}

function MerchantFacts({
  call,
  merchant,
}: {
  readonly call: DeskCall;
  readonly merchant: Merchant;
}) {
  const { view } = call;
  const text = DESK_TEXTS[view.language].pages;
  const { id, status, createdAtMs, refundAgeDaysMax, refundDailyMaxMinor } = merchant;
  const isActive = status === 'active';
  return (
    <Section id="facts" title={text.merchant}>
      <Facts
        rows={[
          [text.id, <code>{id}</code>],
          [text.state, <Badge tone={isActive ? 'good' : 'bad'}>{text.status[status]}</Badge>],
          [text.created, <When call={view} atMs={createdAtMs} />],
          [text.refundAgeDays, refundAgeDaysMax],
          [
            text.refundDaily,
            refundDailyMaxMinor === null ? text.noLimit : majorText(refundDailyMaxMinor),
          ],
        ]}
      />
      <div class="buttons">
        <a class="button" href={`${PATHS.payments}?merchant=${id}`}>
          {text.nav.payments}
        </a>
        <a class="button" href={`${PATHS.audit}?merchant=${id}`}>
          {text.nav.audit}
        </a>
        {isActive && (
          <a class="button" href={merchantPath(id, '/invite')}>
            {text.invite}
          </a>
        )}
        <a class="button" href={merchantPath(id, '/refund-limits')}>
          {text.refundLimits}
        </a>
        <a class="button" href={merchantPath(id, isActive ? '/suspend' : '/reactivate')}>
          {isActive ? text.suspend : text.reactivate}
        </a>
      </div>
    </Section>
  );
}

function MemberList({ call, members, invitations }: Members & { readonly call: DeskCall }) {
  const { view } = call;
  const text = DESK_TEXTS[view.language].pages;
  const { role: roles } = DASHBOARD_TEXTS[view.language].frame;
  return (
    <Section id="members" title={text.people} class="part">
      <Table
        caption={text.people}
        columns={[text.name, text.role, text.passkeys, text.since]}
        rows={members.map(({ name, role, passkeys, createdAtMs }) => [
          <bdi>{shownText(name)}</bdi>,
          roles[role],
          passkeys,
          <When call={view} atMs={createdAtMs} />,
        ])}
        empty={text.noMembers}
      />
      {invitations.length > 0 && (
        <>
          <h3>{text.openLinks}</h3>
          <Table
            caption={text.openLinks}
            columns={[text.name, text.role, text.invitedBy, text.expires]}
            rows={invitations.map(({ name, role, invitedBy, expiresAtMs }) => [
              <bdi>{shownText(name)}</bdi>,
              roles[role],
              <bdi>{shownText(invitedBy)}</bdi>,
              <When call={view} atMs={expiresAtMs} />,
            ])}
            empty={text.none}
          />
        </>
      )}
    </Section>
  );
}

/** Methods with their commission, limits and the number of API keys, in one environment. */
function Settings(props: {
  readonly call: DeskCall;
  readonly merchant: Merchant;
  readonly environment: Environment;
}) {
  const { view } = props.call;
  const text = DESK_TEXTS[view.language].pages;
  const { methods, limitsMinor, apiKeys } = props.merchant[props.environment];
  const { methodName } = CHECKOUT_TEXTS[view.language];
  const title = text.environment[props.environment];
  return (
    <Section id={props.environment} title={title} class="part">
      <Facts
        rows={[
          [text.apiKeys, apiKeys],
          ...CURRENCIES.map((currency) => {
            const limit = limitsMinor[currency] ?? null;
            return limit === null ? null : ([text.limit, moneyIn(view, currency)(limit)] as const);
          }),
        ]}
      />
      <Table
        caption={`${title}: ${text.method}`}
        columns={[text.method, text.offered, text.enabled, text.commission]}
        rows={methods.map(({ method, offered, enabled, basisPoints, fixedMinor }) => [
          methodName[method],
          offered ? text.yes : text.no,
          enabled ? text.yes : text.no,
          <span class="number">
            {majorText(basisPoints)}%{fixedMinor === 0 ? '' : ` + ${majorText(fixedMinor)}`}
          </span>,
        ])}
        empty={text.none}
      />
    </Section>
  );
}
