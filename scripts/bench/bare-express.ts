/** Baseline: a stock Express application that sends a constant body. */
import type { AddressInfo } from 'node:net';
import express from 'express';

const bytes = Number(process.argv[2] ?? 0);
const filler = 'x'.repeat(Math.max(0, bytes - '{"filler":""}'.length));
const app = express();
app.get('/', (_request, response) => {
  response.json({ filler });
});
const server = app.listen(0, '127.0.0.1', () =>
  console.log(JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` })),
);
