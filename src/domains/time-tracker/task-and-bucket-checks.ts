import { parseDay } from '../../shared/calendar.ts';
import { FieldErrors } from '../../shared/field-errors.ts';
import { trimmedName, trimmedText } from '../../shared/text.ts';
import { isCurrency } from '../settings/index.ts';
import { RECURRENCES, type BucketPatch } from './bucket.ts';
import { isPrice, MAX_PRICE, toPriceUnits } from './price.ts';
import { PAYMENT_STATUSES, TIMER_MODES, type TaskPatch } from './task.ts';

const MAX_TEXT = 65_535;
const MAX_HOURS = 100_000;
const MAX_CLIENTS = 500;
/** 10,000 hours, in seconds. */
const MAX_ELAPSED = 36_000_000;

const DAY_RULE = 'must be a date such as 2026-11-21';
const PRICE_RULE = `must be an amount from 0 to ${MAX_PRICE} with at most eight decimals`;

const isDayOrUnset = (text: string | null | undefined): boolean => text == null || parseDay(text) !== null;
const isPriceOrNone = (price: number | null | undefined): boolean => price == null || isPrice(price);
const isUnsetOrOneOf = <T>(values: readonly T[], value: T | undefined): boolean =>
  value === undefined || values.includes(value);

const toPriceUnitsOrUnset = (price: number | null | undefined): number | null | undefined =>
  price == null ? price : toPriceUnits(price);

export function checkedTask(input: TaskPatch) {
  const errors = new FieldErrors();
  const { title, description, elapsedSeconds: elapsed } = input;
  const texts = {
    ...(title === undefined ? {} : { title: trimmedName(errors, 'title', title) }),
    ...(description === undefined ? {} : { description: trimmedText(errors, 'description', description, MAX_TEXT) }),
  };
  const isElapsed = elapsed === undefined || (Number.isInteger(elapsed) && elapsed >= 0 && elapsed <= MAX_ELAPSED);
  errors
    .require('paymentStatus', isUnsetOrOneOf(PAYMENT_STATUSES, input.paymentStatus), 'must be a payment status')
    .require('timerMode', isUnsetOrOneOf(TIMER_MODES, input.timerMode), `must be one of ${TIMER_MODES.join(', ')}`)
    .require('hourlyPrice', isPriceOrNone(input.hourlyPrice), PRICE_RULE)
    .require('taskDate', isDayOrUnset(input.taskDate), DAY_RULE)
    .require('elapsedSeconds', isElapsed, `must be a whole number from 0 to ${MAX_ELAPSED}`)
    .throwIfAny();
  return { ...texts, hourlyUnits: toPriceUnitsOrUnset(input.hourlyPrice) };
}

export function checkedBucket(input: BucketPatch) {
  const errors = new FieldErrors();
  const { title, description, hours, clients, currency } = input;
  const texts = {
    ...(title === undefined ? {} : { title: trimmedName(errors, 'title', title) }),
    ...(description === undefined ? {} : { description: trimmedText(errors, 'description', description, MAX_TEXT) }),
  };
  const isHours = hours === undefined || (hours >= 0 && hours <= MAX_HOURS && Number(hours.toFixed(2)) === hours);
  const isClients =
    clients === undefined ||
    (clients.length <= MAX_CLIENTS && clients.every((id) => Number.isSafeInteger(id) && id > 0));
  errors
    .require('hours', isHours, `must be a number from 0 to ${MAX_HOURS} with at most two decimals`)
    .require('price', isPriceOrNone(input.price), PRICE_RULE)
    .require('currency', currency === undefined || isCurrency(currency), 'must be a currency of ISO 4217 such as EUR')
    .require('recurrence', isUnsetOrOneOf(RECURRENCES, input.recurrence), `must be one of ${RECURRENCES.join(', ')}`)
    .require('periodStart', isDayOrUnset(input.periodStart), DAY_RULE)
    .require('clients', isClients, `must name at most ${MAX_CLIENTS} clients by ID`)
    .throwIfAny();
  return {
    ...texts,
    ...(hours === undefined ? {} : { seconds: Math.round(hours * 3600) }),
    hourlyUnits: toPriceUnitsOrUnset(input.price),
    ...(clients === undefined ? {} : { clientIds: [...new Set(clients)].sort((one, other) => one - other) }),
  };
}
