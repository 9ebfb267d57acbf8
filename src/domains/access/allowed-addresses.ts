import ipaddr from 'ipaddr.js';
import { FieldErrors } from '../../shared/field-errors.ts';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type Network = readonly [address: Address, prefix: number];

const MAX_ADDRESSES = 50;
const IPV4_BITS = 32;
const IPV6_BITS = 128;
/** Length of the prefix of IPv6 addresses that stand for an IPv4 address, `::ffff:0:0/96`. */
const MAPPED_BITS = 96;

const bitsOf = (address: Address): number => (address.kind() === 'ipv4' ? IPV4_BITS : IPV6_BITS);

function parseNetwork(text: string): Network | null {
  const [, start = '', length] = /^([\da-f.:]+)(?:\/(0|[1-9]\d{0,2}))?$/i.exec(text.trim()) ?? [];
  if (!ipaddr.IPv4.isValidFourPartDecimal(start) && !ipaddr.IPv6.isValid(start)) return null;
  const parsed = ipaddr.parse(start);
  const prefix = length === undefined ? bitsOf(parsed) : Number(length);
  if (prefix > bitsOf(parsed)) return null;
  if (parsed.kind() === 'ipv4') return [networkAddressOf(parsed, prefix), prefix];
  const address = parsed as ipaddr.IPv6;
  if (!address.isIPv4MappedAddress()) return [networkAddressOf(address, prefix), prefix];
  if (prefix < MAPPED_BITS) return null;
  return [networkAddressOf(address.toIPv4Address(), prefix - MAPPED_BITS), prefix - MAPPED_BITS];
}

function networkAddressOf(address: Address, prefix: number): Address {
  const type = address.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  return type.networkAddressFromCIDR(`${address.toString()}/${prefix}`);
}

const formatNetwork = ([address, prefix]: Network): string =>
  prefix === bitsOf(address) ? address.toString() : `${address.toString()}/${prefix}`;

const contains = ([address, prefix]: Network, other: Address): boolean =>
  address.kind() === other.kind() && other.match(address, prefix);

/** Returns the networks in their canonical form, each once; null for an empty list, which allows all addresses. */
export function checkedAddresses(texts: readonly string[] | null): string[] | null {
  if (texts === null || texts.length === 0) return null;
  const errors = new FieldErrors();
  errors.require('allowedAddresses', texts.length <= MAX_ADDRESSES, `must have at most ${MAX_ADDRESSES} items`);
  const networks = texts.map((text, index) => {
    const network = parseNetwork(text);
    const message = 'must be an IPv4 or IPv6 address or a network such as 192.0.2.0/24';
    errors.require(`allowedAddresses.${index}`, network !== null, message);
    return network;
  });
  errors.throwIfAny();
  return [...new Set(networks.filter((network) => network !== null).map(formatNetwork))];
}

export function parseNetworks(texts: readonly string[]): Network[] {
  return texts.map((text) => {
    const network = parseNetwork(text);
    if (!network) throw new Error(`The stored network ${text} is not valid.`);
    return network;
  });
}

/** True if one of the networks contains the address. An IPv4 address may be written as IPv6, `::ffff:192.0.2.1`. */
export function includesAddress(networks: readonly Network[], address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return networks.some((network) => contains(network, parsed));
}

export function includesAddresses(outer: readonly string[] | null, inner: readonly string[] | null): boolean {
  if (outer === null) return true;
  if (inner === null) return false;
  const networks = parseNetworks(outer);
  return parseNetworks(inner).every(([address, prefix]) =>
    networks.some((network) => network[1] <= prefix && contains(network, address)),
  );
}
