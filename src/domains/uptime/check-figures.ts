import { DAY, HOUR } from '../../shared/clock.ts';
import { responseTimeOf, type Heartbeat } from './heartbeat.ts';

/**
 * Checks with the state `pending` and checks that a caller requested are not counted. Times are response times of the
 * successful checks, in milliseconds.
 */
export interface CheckFigures {
  up: number;
  down: number;
  timeSum: number;
  timeMin: number | null;
  timeMax: number | null;
}

export const noCheckFigures = (): CheckFigures => ({ up: 0, down: 0, timeSum: 0, timeMin: null, timeMax: null });

export function addCheckFigures(left: CheckFigures, right: CheckFigures): CheckFigures {
  return {
    up: left.up + right.up,
    down: left.down + right.down,
    timeSum: left.timeSum + right.timeSum,
    timeMin: combineKnown(left.timeMin, right.timeMin, Math.min),
    timeMax: combineKnown(left.timeMax, right.timeMax, Math.max),
  };
}

const combineKnown = (left: number | null, right: number | null, of: (...values: number[]) => number): number | null =>
  left === null ? right : right === null ? left : of(left, right);

const heartbeatCountersOf = (beat: Heartbeat): CheckFigures => {
  const time = responseTimeOf(beat);
  const isTimed = beat.state === 'up' && time !== null;
  return {
    up: Number(beat.state === 'up'),
    down: Number(beat.state === 'down'),
    timeSum: isTimed ? time : 0,
    timeMin: isTimed ? time : null,
    timeMax: isTimed ? time : null,
  };
};

export const meanResponseTimeOf = ({ up, timeSum }: CheckFigures): number | null =>
  up === 0 ? null : Math.round(timeSum / up);

export class HourlyFiguresOfDay {
  readonly day: number;
  readonly #hours: (CheckFigures | undefined)[];

  private constructor(day: number, hours: (CheckFigures | undefined)[]) {
    this.day = day;
    this.#hours = hours;
  }

  static of(day: number, hours: string): HourlyFiguresOfDay {
    return new HourlyFiguresOfDay(day, hours === '' ? [] : hours.split(';').map(unpackedHour));
  }

  add(beat: Heartbeat): void {
    const hour = Math.floor((beat.at % DAY) / HOUR);
    this.#hours[hour] = addCheckFigures(this.#hours[hour] ?? noCheckFigures(), heartbeatCountersOf(beat));
  }

  hour(hour: number): CheckFigures {
    return this.#hours[hour] ?? noCheckFigures();
  }

  /** Returns one text per hour, joined by `;`: `up,down,sum,min,max` in base 36, or nothing without checks. */
  packed(): string {
    return Array.from({ length: 24 }, (_, hour) => packedHour(this.#hours[hour])).join(';');
  }
}

export const startOfHour = (at: number): number => Math.floor(at / HOUR) * HOUR;

function packedHour(figures: CheckFigures | undefined): string {
  if (!figures || figures.up + figures.down === 0) return '';
  const { up, down, timeSum, timeMin, timeMax } = figures;
  return [up, down, timeSum, timeMin, timeMax].map((value) => (value === null ? '' : value.toString(36))).join(',');
}

function unpackedHour(text: string): CheckFigures | undefined {
  if (text === '') return undefined;
  const [up, down, timeSum, timeMin, timeMax] = text
    .split(',')
    .map((value) => (value === '' ? null : Number.parseInt(value, 36)));
  return {
    up: up ?? 0,
    down: down ?? 0,
    timeSum: timeSum ?? 0,
    timeMin: timeMin ?? null,
    timeMax: timeMax ?? null,
  };
}
