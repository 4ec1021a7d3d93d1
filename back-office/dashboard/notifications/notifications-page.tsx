import type { ShownLink } from '../../../src/control/rpc/links.ts';
import type {
  ShownConnection,
  TypedConnection,
  Ways,
} from '../../../src/control/rpc/notifications.ts';
import type { EndpointEntry } from '../../../src/engine/webhooks/endpoint-store.ts';
import { MESSAGE_LANGUAGES, WIRE_EVENT_TYPES } from '../../../src/engine/webhooks/endpoints.ts';
import { LANGUAGE_NAMES } from '../../../src/kit/i18n/language.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import type { Member } from '../../members/members.ts';
import { Section, Table, Untrusted } from '../../ui/elements.tsx';
import { Choice, FieldError, SelectField, TextField, useProblem } from '../../ui/fields.tsx';
import { EmptyState } from '../../ui/layout.tsx';
import { mayChange, useCall } from '../call.ts';
import { PostForm, Submit } from '../forms.tsx';
import { Frame } from '../frame.tsx';
import { endpointPath, notificationsPath } from '../paths.ts';
import { FormConfirmedInProduction } from '../people/passkey-form.tsx';
import { EndpointState } from '../webhooks/endpoint-page.tsx';
import { PersonsEvents, personsName } from '../webhooks/person.tsx';

/** The longest code that a person types with spaces. */
const CODE_CHARACTERS_MAX = 16;

/** What the form's field begins with that says which payments; empty: all. */
export const SCOPES = { link: 'link:', till: 'till:' } as const;

function scopeOf({ paymentLinkUniqueId, till }: TypedConnection): string {
  if (till !== undefined) {
    return SCOPES.till + till.id;
  }
  return paymentLinkUniqueId === '' ? '' : SCOPES.link + paymentLinkUniqueId;
}

export function NotificationsPage(props: {
  readonly ways: Ways;
  readonly people: readonly EndpointEntry[];
  readonly typed: TypedConnection;
  readonly links: readonly ShownLink[];
  readonly tills: readonly Member[];
}) {
  const { ways, people, typed, links, tills } = props;
  const call = useCall();
  const { notifications: text, webhooks } = useTexts(DASHBOARD_TEXTS);
  const isSetUp = ways.telegram || ways.email;
  return (
    <Frame title={text.title} active="notifications" head={{ lead: text.lead }}>
      <section class="card">
        <h2>{text.people}</h2>
        <Table
          caption={text.people}
          columns={[text.who, webhooks.state, text.what]}
          rows={people.map((person) => [
            <a href={endpointPath(call.environment, person.endpointId)}>
              <Untrusted text={personsName(text, person)} />
            </a>,
            <EndpointState endpoint={person} />,
            <PersonsEvents endpoint={person} />,
          ])}
          empty={
            <EmptyState title={text.none} action={null}>
              {isSetUp ? text.noneLead : text.notSetUp}
            </EmptyState>
          }
        />
      </section>
      {isSetUp && mayChange(call, 'develop') && (
        <Section id="connect" title={text.connect}>
          <ConnectForm {...{ ways, typed, links, tills }} />
        </Section>
      )}
    </Frame>
  );
}

function ConnectForm(props: {
  readonly ways: Ways;
  readonly typed: TypedConnection;
  readonly links: readonly ShownLink[];
  readonly tills: readonly Member[];
}) {
  const { ways, typed, links, tills } = props;
  const call = useCall();
  const text = useTexts(DASHBOARD_TEXTS).notifications;
  const isEmail = typed.address !== null || !ways.telegram;
  return (
    <FormConfirmedInProduction
      ceremony="webhook-endpoint"
      path={notificationsPath(call.environment)}
      hint={text.confirmHint}
      novalidate={true}
      once={true}
    >
      <fieldset id="way" class="field">
        <legend>{text.way}</legend>
        <FieldError id="way" error={useProblem('way')} />
        {ways.telegram && (
          <Choice type="radio" name="way" value="telegram" checked={!isEmail}>
            {text.kinds.TELEGRAM}
          </Choice>
        )}
        {ways.email && (
          <Choice type="radio" name="way" value="email" checked={isEmail}>
            {text.kinds.EMAIL}
          </Choice>
        )}
      </fieldset>
      {ways.email && (
        <TextField
          id="address"
          label={text.address}
          hint={text.addressHint}
          value={typed.address ?? ''}
          autocomplete="email"
          required={false}
        />
      )}
      <fieldset id="eventTypes" class="field">
        <legend>{text.what}</legend>
        <FieldError id="eventTypes" error={useProblem('eventTypes')} />
        {WIRE_EVENT_TYPES.map((type) => (
          <Choice
            type="checkbox"
            name="eventType"
            value={type}
            checked={typed.eventTypes.includes(type)}
          >
            {text.events[type]}
          </Choice>
        ))}
        <Choice type="checkbox" name="needs" value="yes" checked={typed.isToldNeeds}>
          {text.needs}
        </Choice>
      </fieldset>
      <SelectField
        id="language"
        label={text.language}
        options={MESSAGE_LANGUAGES.map((one) => [one, LANGUAGE_NAMES[one]])}
        selected={typed.language}
      />
      <SelectField
        id="scope"
        label={text.scope}
        options={[
          ['', text.all],
          ...links.map(({ link }) => [SCOPES.link + link.id, text.linkOption(link.title)] as const),
          ...tills.map(({ id, name }) => [SCOPES.till + id, text.tillOption(name)] as const),
        ]}
        selected={scopeOf(typed)}
      />
      <Submit label={text.connect} />
    </FormConfirmedInProduction>
  );
}

interface ConnectionProps {
  readonly connection: ShownConnection;
}

export function ConnectionPage({ connection }: ConnectionProps) {
  const call = useCall();
  const text = useTexts(DASHBOARD_TEXTS).notifications;
  const { links, address } = connection;
  return (
    <Frame
      title={address === null ? text.connecting : text.confirming}
      active="notifications"
      head={{ back: { to: notificationsPath(call.environment), text: text.back } }}
    >
      {address !== null && <CodeForm connection={connection} />}
      {links !== null && <TelegramLinks links={links} />}
    </Frame>
  );
}

/** The page reloads when the chat has sent the code, and then leads to its endpoint. */
function TelegramLinks({ links }: { readonly links: NonNullable<ShownConnection['links']> }) {
  const { url } = useCall();
  const text = useTexts(DASHBOARD_TEXTS).notifications;
  return (
    <section class="card">
      <div hidden data-live="waiting" />
      <p role="status">{text.waiting}</p>
      <div class="buttons">
        <a class="button primary" href={links.person} rel="noreferrer" target="_blank">
          {text.openPerson}
        </a>
        <a class="button" href={links.group} rel="noreferrer" target="_blank">
          {text.openGroup}
        </a>
      </div>
      <p>{text.once}</p>
      <p>{text.scan}</p>
      <img
        src={`data:image/svg+xml,${encodeURIComponent(links.code)}`}
        width="200"
        height="200"
        alt={text.scanAlt}
      />
      <p>
        <a href={url.pathname}>{text.check}</a>
      </p>
    </section>
  );
}

function CodeForm({ connection: { id, address } }: ConnectionProps) {
  const { environment } = useCall();
  const text = useTexts(DASHBOARD_TEXTS).notifications;
  const shown = (address ?? '').slice(address?.indexOf(':') ?? 0).slice(1);
  return (
    <section class="card">
      <p>{text.sentTo(shown)}</p>
      <PostForm
        class="form"
        action={notificationsPath(environment, `/connections/${id}`)}
        novalidate={true}
      >
        <TextField
          id="code"
          label={text.code}
          value=""
          inputmode="decimal"
          maxlength={CODE_CHARACTERS_MAX}
          autocomplete="one-time-code"
        />
        <Submit label={text.confirm} />
      </PostForm>
    </section>
  );
}

export function GonePage() {
  const call = useCall();
  const text = useTexts(DASHBOARD_TEXTS).notifications;
  return (
    <Frame
      title={text.title}
      active="notifications"
      head={{ back: { to: notificationsPath(call.environment), text: text.back } }}
    >
      <p>{text.gone}</p>
    </Frame>
  );
}
