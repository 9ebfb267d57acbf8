export const CLIENT_FIELD_NAMES = {
  name: 'name',
  email: 'client_email',
  phone: 'client_phone',
  address1: 'address_1',
  address2: 'address_2',
  city: 'city',
  state: 'state',
  zip: 'zip',
  country: 'country',
  note: 'note',
} as const;

type AddressFields = Record<'address1' | 'address2' | 'city' | 'state' | 'zip' | 'country' | 'note', string>;

export const addressView = ({ address1, address2, city, state, zip, country, note }: AddressFields) => ({
  address_1: address1,
  address_2: address2,
  city,
  state,
  zip,
  country,
  note,
});
