import { readObjectName, readOldAndNewValue, type ChangesLogRecord } from './changes-log-object.ts';
import { readField, readPlainText } from './json-values.ts';

const VALUE_MAX = 60;
const SUMMARY_MAX = 300;

/** Returns what was changed. Of a profile field, this is only the name, because its values are private. */
function changedPartOf({ type, meta }: ChangesLogRecord): string {
  const name = readPlainText(readField(meta, 'custom_meta_name'), VALUE_MAX);
  if (type.about !== 'profile field' || name === '') return type.about ?? '';
  return `profile field ${name}`;
}

function describeValueChange(record: ChangesLogRecord): string {
  const [from, to] = readOldAndNewValue(record);
  const word = record.type.values?.[0] === '' ? '' : ' to';
  return [from && ` from "${from}"`, to && `${word} "${to}"`].join('');
}

const toSentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1, SUMMARY_MAX);

export function summarizeLogRecord(record: ChangesLogRecord): string {
  const action = record.action.replaceAll('_', ' ');
  const part = changedPartOf(record);
  if (record.context === 'system_setting')
    return toSentence(['setting', part && `"${part}"`, action].filter(Boolean).join(' ') + describeValueChange(record));
  const name = readObjectName(record);
  const what = [(record.kind ?? record.context).replaceAll(/[_-]/g, ' '), name && `"${name}"`, action]
    .filter(Boolean)
    .join(' ');
  return toSentence(what + (part && `: ${part}`) + describeValueChange(record));
}
