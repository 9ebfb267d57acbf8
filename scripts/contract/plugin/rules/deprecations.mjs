/** `x-deprecation` of an operation, a parameter or a field: since when, until when, and what takes its place. */
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const OPERATION_ID = /^[a-z0-9]+([-_][a-z0-9]+)+$/;
const KEYS = ['since', 'sunset', 'replacement'];

/** Days that no calendar has move on to the next month. */
const isDay = (text) => DAY.test(text) && new Date(text).toISOString().startsWith(text);

function complaintsAbout(deprecation) {
  const { since, sunset, replacement } = deprecation;
  const complaints = KEYS.filter((key) => typeof deprecation[key] !== 'string' || deprecation[key] === '').map(
    (key) => `x-deprecation.${key} is missing.`,
  );
  for (const key of Object.keys(deprecation))
    if (!KEYS.includes(key)) complaints.push(`x-deprecation has the unknown key ${key}.`);
  for (const [key, day] of Object.entries({ since, sunset }))
    if (day && !isDay(day)) complaints.push(`x-deprecation.${key} must be a day such as 2027-06-01.`);
  if (isDay(since) && isDay(sunset) && sunset <= since)
    complaints.push(`x-deprecation.sunset must be later than ${since}.`);
  if (replacement && !OPERATION_ID.test(replacement) && !/ .*\.$/.test(replacement))
    complaints.push('x-deprecation.replacement must be the id of an operation, or a sentence.');
  return complaints;
}

export const deprecations = () => {
  const operations = new Map();
  const wanted = [];
  const check = (node, { report, location }) => {
    const deprecation = node['x-deprecation'];
    if (node.deprecated && !deprecation)
      report({ message: 'Say x-deprecation, from which deprecated is made.', location: location.child('deprecated') });
    if (typeof deprecation !== 'object' || deprecation === null) return;
    const at = location.child('x-deprecation');
    for (const message of complaintsAbout(deprecation)) report({ message, location: at });
    if (OPERATION_ID.test(deprecation.replacement)) wanted.push({ id: deprecation.replacement, location: at });
  };
  return {
    Operation(operation, context) {
      operations.set(operation.operationId, operation);
      check(operation, context);
    },
    Parameter: check,
    // As they are written: what stands beside a reference is about the field.
    SchemaProperties(properties, { report, location }) {
      for (const [name, schema] of Object.entries(properties))
        check(schema, { report, location: location.child(name) });
    },
    Root: {
      leave(_root, { report }) {
        for (const { id, location } of wanted)
          if (!operations.has(id))
            report({ message: `x-deprecation points to ${id}, which does not exist.`, location });
          else if (operations.get(id)['x-deprecation'])
            report({ message: `x-deprecation points to ${id}, which is deprecated itself.`, location });
      },
    },
  };
};
