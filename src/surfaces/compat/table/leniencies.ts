export const LENIENCIES: readonly string[] = [
  'Numbers, flags and lists can be texts (`"7"`, `"1"`, `"1,2"`), and texts can be numbers, if the schema allows only \
one meaning. A list with one item can replace the item, and an empty list can replace an object without fields.',
  'A `PUT` or `PATCH` is accepted where this service has a `POST`. `_method` and `X-HTTP-Method-Override` are accepted \
for a `POST`.',
  'A request that needs no body can have no body, an empty one, or one that is ignored.',
  'Fields of a body can be in the query, and a body of the REST routes can be a form \
(`application/x-www-form-urlencoded`).',
  'Read-only abilities accept `GET` with `input[…]=…` in the query, `delete-tag-v1` accepts `DELETE` with it, and all \
others accept `POST` with `{"input": {…}}`. Read-only abilities also accept `POST`, and `input=` with JSON.',
  'No input, `null`, `[]` and `{}` are equal if every field is optional.',
  'Spaces in an application password are ignored, and each surface accepts the credential of the other.',
  '`status_url`, `Link` and `_links` refer to addresses under `/wp-json`.',
  '`success` is 1 in every response of the REST routes that is not an error, even if nothing had to be done.',
  'An error of the REST routes for fields also lists them in `data.params`, with the names from the request.',
];
