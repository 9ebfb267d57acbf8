/** Leniencies that apply to every call of the mount, described for users who migrate from the established product. */
export const LENIENCIES: readonly string[] = [
  'Numbers, flags and lists may be texts (`"7"`, `"1"`, `"1,2"`), and texts numbers, wherever the schema tells which \
is meant; a list of one may stand for what it holds, and an empty list for no fields.',
  'A `PUT` or `PATCH` of what is a `POST` here is taken as one; `_method` and `X-HTTP-Method-Override` are honoured \
for a `POST`.',
  'Calls that need no body may come without one, with an empty one, or with one that is not looked at.',
  'Fields of a body may stand in the query, and a body of the REST routes may be a form \
(`application/x-www-form-urlencoded`).',
  'Read-only abilities answer `GET` with `input[…]=…` in the query, `delete-tag-v1` answers `DELETE` with it, and all \
others answer `POST` with `{"input": {…}}`; read-only abilities answer `POST` too, and `input=` with JSON is read.',
  'No input, `null`, `[]` and `{}` are equal where every field may be left out.',
  'Blanks in an application password say nothing, and each surface takes the credential of the other.',
  '`status_url`, `Link` and `_links` point at the mount.',
  '`success` is 1 in every answer of the REST routes that is not a refusal, also where nothing was to be done.',
  'A refusal of the REST routes for fields names them in `data.params` as well, by the names that were sent.',
];
