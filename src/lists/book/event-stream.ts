import type { Tenant } from '../../kit/tenant.ts';
import { bookOf } from './client.ts';
import type { News } from './listeners.ts';
import { STREAM_PLACES_PER_MS, type StreamedEvent } from './queries/stream.ts';
import { type BookVolumes, type KnownVolume, volumesOf } from './volumes.ts';

/** How far apart two volumes may place events of the same moment: their clocks differ by less. */
const STREAM_OVERLAP_MS = 10_000;

/** The place of the last streamed event in each volume. */
export type StreamPlaces = ReadonlyMap<number, number>;

interface StreamStart {
  /** Null before the first event. */
  readonly eventId: string | null;
  readonly places: StreamPlaces;
}

interface PlacedEvent extends StreamedEvent {
  readonly volume: number;
}

/** The events of a tenant's sandbox, in the order in which they became rows. */
export class EventStream {
  readonly #volumes: BookVolumes;

  constructor(volumes: BookVolumes) {
    this.#volumes = volumes;
  }

  static async of(env: Env, tenant: Tenant & KnownVolume): Promise<EventStream> {
    return new EventStream(await volumesOf(env, tenant));
  }

  /** The stream after its newest event. */
  async end(): Promise<StreamStart> {
    const volumes = this.#volumes;
    const found = await volumes.askEach((volume) => volumes.ask(volume, 'newestStreamed'));
    const newest = [...found.values()]
      .filter((event) => event !== null)
      .sort((one, other) => other.place - one.place)[0];
    return {
      eventId: newest?.eventId ?? null,
      places: new Map([...found].map(([volume, event]) => [volume, event?.place ?? 0])),
    };
  }

  /**
   * The stream after this event, or null when there is none. The client may not have had another
   * volume's event of the same moment, so those of the last seconds come again.
   */
  async after(eventId: string): Promise<StreamStart | null> {
    const volumes = this.#volumes;
    const found = await volumes.askEach((volume) => volumes.ask(volume, 'findStreamed', eventId));
    const [own, event] = [...found].find(([, one]) => one !== null) ?? [];
    if (event == null) {
      return null;
    }
    const others = event.place - STREAM_OVERLAP_MS * STREAM_PLACES_PER_MS;
    const places = [...found.keys()].map(
      (volume) => [volume, volume === own ? event.place : others] as const,
    );
    return { eventId, places: new Map(places) };
  }

  /** The next events of the stream, in the order in which they became rows. */
  async next(places: StreamPlaces, limit: number): Promise<readonly PlacedEvent[]> {
    const volumes = this.#volumes;
    const found = await volumes.askEach((volume) =>
      volumes.ask(volume, 'streamedAfter', places.get(volume) ?? 0, limit),
    );
    return [...found]
      .flatMap(([volume, events]) => (events ?? []).map((event) => ({ ...event, volume })))
      .sort((one, other) => one.place - other.place)
      .slice(0, limit);
  }

  /**
   * Waits for an event in the newest volume, for at most `waitMs`. Waiting in each volume would
   * leave listeners behind in the others; the few events of old payments are found after the wait.
   */
  wait(places: StreamPlaces, waitMs: number): Promise<News> {
    const { env, tenant, newest } = this.#volumes;
    return bookOf(env, tenant, newest).waitForEvents(places.get(newest) ?? 0, waitMs);
  }
}
