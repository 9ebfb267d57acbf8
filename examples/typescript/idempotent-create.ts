/**
 * Retries a change with its own idempotency key. The SDK adds a random key to every change, so that it can retry after
 * a lost connection. With your own key, such as an order number, your program can also retry after a restart.
 */
import { createClient } from '@sitefleet/sdk';

const fleet = createClient({ url: process.env['SITEFLEET_URL']!, key: process.env['SITEFLEET_KEY'] });

const call = { body: { name: 'Harbour Bakery', client_email: 'harbour@example.com' } };
const idempotencyKey = 'order-2026-1107';
const first = await fleet.answer('clients_add', call, { idempotencyKey });
const again = await fleet.answer('clients_add', call, { idempotencyKey });
console.log(`client ${first.data.data.id}, and again ${again.data.data.id}`);
console.log(`replayed: ${first.isReplayed}, then ${again.isReplayed}`);

// With the ETag of the record, the second edit fails, because the first one has changed the record.
const path = { id_or_email: first.data.data.id };
const { etag } = await fleet.answer('clients_get', { path });
await fleet.route('clients_edit', { path, body: { city: 'Porto' } }, { ifMatch: etag! });
const late = fleet.route('clients_edit', { path, body: { city: 'Lyon' } }, { ifMatch: etag! });
await late.catch((error: Error) => console.log(error.message));
