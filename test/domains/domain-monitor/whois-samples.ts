/** Records in the WHOIS formats of registries, with invented values. */
export interface WhoisSample {
  registry: string;
  name: string;
  reply: string;
  /** Expected result. */
  expected: {
    registrar: string | null;
    created: string | null;
    expires: string | null;
    statuses: readonly string[];
    nameServers: readonly string[];
    dnssec?: string;
  };
}

export const WHOIS_SAMPLES: readonly WhoisSample[] = [
  {
    registry: 'a thick registry of generic top-level domains',
    name: 'bakery-lane.shop',
    reply: `Domain Name: BAKERY-LANE.SHOP
Registry Domain ID: DO_0a1b2c3d-GMO
Registrar WHOIS Server: whois.registrar.example
Registrar URL: https://registrar.example
Updated Date: 2026-03-01T08:30:00.0Z
Creation Date: 2019-02-28T10:15:30.0Z
Registry Expiry Date: 2027-02-28T23:59:59.0Z
Registrar: Example Registrar, Inc.
Registrar IANA ID: 9995
Registrar Abuse Contact Email: abuse@registrar.example
Registrar Abuse Contact Phone: +1.5555551234
Domain Status: clientTransferProhibited https://icann.org/epp#clientTransferProhibited
Domain Status: autoRenewPeriod https://icann.org/epp#autoRenewPeriod
Registrant Organization: REDACTED FOR PRIVACY
Name Server: NS1.HOST.EXAMPLE
Name Server: NS2.HOST.EXAMPLE
DNSSEC: signedDelegation
URL of the ICANN Whois Inaccuracy Complaint Form: https://www.icann.org/wicf/
>>> Last update of WHOIS database: 2026-11-22T10:00:00.0Z <<<

For more information on Whois status codes, please visit https://icann.org/epp
`,
    expected: {
      registrar: 'Example Registrar, Inc.',
      created: '2019-02-28T10:15:30.000Z',
      expires: '2027-02-28T23:59:59.000Z',
      statuses: ['client transfer prohibited', 'auto renew period'],
      nameServers: ['ns1.host.example', 'ns2.host.example'],
      dnssec: 'signed',
    },
  },
  {
    registry: 'DENIC, which tells no dates but that of the last change',
    name: 'baeckerei-muster.de',
    reply: `% Restricted rights.
%
% Terms and Conditions of Use
%
% The DENIC whois service on port 43 doesn't disclose any information concerning
% the domain holder.

Domain: baeckerei-muster.de
Nserver: ns1.host.example
Nserver: ns2.host.example
Dnskey: 257 3 13 abc==
Status: connect
Changed: 2024-05-06T07:08:09+02:00
`,
    expected: {
      registrar: null,
      created: null,
      expires: null,
      statuses: ['connect'],
      nameServers: ['ns1.host.example', 'ns2.host.example'],
    },
  },
  {
    registry: 'NIC.it',
    name: 'panificio-esempio.it',
    reply: `
*********************************************************************
* Please note that the following result could be a subgroup of      *
* the data contained in the database.                               *
*********************************************************************

Domain:             panificio-esempio.it
Status:             ok
Signed:             no
Created:            2012-03-01 10:11:12
Last Update:        2026-03-17 00:57:21
Expire Date:        2027-03-01

Registrant
  Organization:     Esempio s.r.l.
  Address:          Via Roma 1
                    Roma
                    00100
                    RM
                    IT
  Created:          2012-03-01 10:11:12
  Last Update:      2012-03-01 10:11:12

Registrar
  Organization:     Registrar Esempio S.p.A.
  Name:             ESEMPIO-REG
  Web:              https://www.registrar.example
  DNSSEC:           yes


Nameservers
  ns1.host.example
  ns2.host.example
`,
    expected: {
      registrar: 'Registrar Esempio S.p.A. ESEMPIO-REG',
      created: '2012-03-01T10:11:12.000Z',
      expires: '2027-03-01T00:00:00.000Z',
      statuses: ['ok'],
      nameServers: ['ns1.host.example', 'ns2.host.example'],
    },
  },
  {
    registry: 'JPRS',
    name: 'panya-rei.jp',
    reply: `[ JPRS database provides information on network administration. Its use is    ]
[ restricted to network administration purposes. For further information,     ]

Domain Information:
[Domain Name]                   PANYA-REI.JP

[Registrant]                    Rei Bakery K.K.

[Name Server]                   ns1.host.example
[Name Server]                   ns2.host.example
[Signing Key]

[Created on]                    2015/04/01
[Expires on]                    2027/04/30
[Status]                        Active
[Last Updated]                  2026/05/01 01:05:07 (JST)
`,
    expected: {
      registrar: null,
      created: '2015-04-01T00:00:00.000Z',
      expires: '2027-04-30T00:00:00.000Z',
      statuses: ['active'],
      nameServers: ['ns1.host.example', 'ns2.host.example'],
    },
  },
  {
    registry: 'KISA of Korea',
    name: 'ppang-ye.kr',
    reply: `query : ppang-ye.kr

# ENGLISH

Domain Name                 : ppang-ye.kr
Registrant                  : Ye Bakery
Registrant Zip Code         : 06000
Administrative Contact(AC)  : Kim
AC E-Mail                   : admin@bakery.example
Registered Date             : 2014. 02. 03.
Last Updated Date           : 2025. 12. 24.
Expiration Date             : 2027. 02. 03.
Publishes                   : Y
Authorized Agency           : Registrar of Korea(http://registrar.example)
DNSSEC                      : unsigned

Primary Name Server
   Host Name                : ns1.host.example

Secondary Name Server
   Host Name                : ns2.host.example
`,
    expected: {
      registrar: null,
      created: '2014-02-03T00:00:00.000Z',
      expires: '2027-02-03T00:00:00.000Z',
      statuses: [],
      nameServers: [],
      dnssec: 'unsigned',
    },
  },
  {
    registry: 'Nominet',
    name: 'corner-bakery.co.uk',
    reply: `
    Domain name:
        corner-bakery.co.uk

    Data validation:
        Nominet was able to match the registrant's name and address against a 3rd party data source on 10-Dec-2012

    Registrar:
        Example Registrar Ltd t/a Example [Tag = EXAMPLE]
        URL: https://registrar.example

    Relevant dates:
        Registered on: 14-Jul-2003
        Expiry date:  14-Jul-2027
        Last updated:  15-Jun-2025

    Registration status:
        Registered until expiry date.

    Name servers:
        ns1.host.example
        ns2.host.example

    WHOIS lookup made at 11:22:33 22-Nov-2026

-- 
This WHOIS information is provided for free by Nominet UK the central registry
`,
    expected: {
      registrar: 'Example Registrar Ltd t/a Example [Tag = EXAMPLE]',
      created: '2003-07-14T00:00:00.000Z',
      expires: '2027-07-14T00:00:00.000Z',
      statuses: ['registered until expiry date.'],
      nameServers: ['ns1.host.example', 'ns2.host.example'],
    },
  },
  {
    registry: 'the coordination center of .ru',
    name: 'hleb-primer.ru',
    reply: `% TCI Whois Service. Terms of use:
% https://tcinet.ru/documents/whois_ru_rf.pdf (in Russian)

domain:        HLEB-PRIMER.RU
nserver:       ns1.host.example.
nserver:       ns2.host.example.
state:         REGISTERED, DELEGATED, VERIFIED
person:        Private Person
registrar:     EXAMPLE-RU
admin-contact: https://registrar.example/
created:       2010-05-06T20:00:00Z
paid-till:     2027-05-06T21:00:00Z
free-date:     2027-06-07
source:        TCI

Last updated on 2026-11-22T10:00:00Z
`,
    expected: {
      registrar: 'EXAMPLE-RU',
      created: '2010-05-06T20:00:00.000Z',
      expires: '2027-05-06T21:00:00.000Z',
      statuses: ['registered', 'delegated', 'verified'],
      nameServers: ['ns1.host.example', 'ns2.host.example'],
    },
  },
  {
    registry: 'the Swedish Internet Foundation',
    name: 'bageri-exempel.se',
    reply: `# Copyright (c) 1997- The Swedish Internet Foundation.
# All rights reserved.
state:            active
domain:           bageri-exempel.se
holder:           exebag0001-00001
created:          2008-09-10
modified:         2026-08-11
expires:          2027-09-10
transferred:      2016-01-02
nserver:          ns1.host.example
nserver:          ns2.host.example
dnssec:           signed delegation
registry-lock:    unlocked
status:           ok
registrar:        Example Registrar AB
`,
    expected: {
      registrar: 'Example Registrar AB',
      created: '2008-09-10T00:00:00.000Z',
      expires: '2027-09-10T00:00:00.000Z',
      statuses: ['active', 'ok'],
      nameServers: ['ns1.host.example', 'ns2.host.example'],
      dnssec: 'signed',
    },
  },
  {
    registry: 'DNS Belgium',
    name: 'bakkerij-voorbeeld.be',
    reply: `% .be Whois Server 6.1
%
% The WHOIS service offered by DNS Belgium and the access to the records in the DNS Belgium
% WHOIS database are provided for information purposes only.
%

Domain:\tbakkerij-voorbeeld.be
Status:\tNOT AVAILABLE
Registered:\tWed Jun 7 2017

Registrant:
\tNot shown, please visit www.dnsbelgium.be for webbased whois.

Registrar:
\tName:\t Example Registrar NV
\tWebsite:\t https://registrar.example

Nameservers:
\tns1.host.example
\tns2.host.example

Keys:

Flags:
\tclientTransferProhibited

Please visit www.dnsbelgium.be for more info.
`,
    expected: {
      registrar: 'Example Registrar NV',
      created: '2017-06-07T00:00:00.000Z',
      expires: null,
      statuses: ['client transfer prohibited'],
      nameServers: ['ns1.host.example', 'ns2.host.example'],
    },
  },
  {
    registry: 'NIC.at',
    name: 'baeckerei-beispiel.at',
    reply: `% Copyright (c)2026 by NIC.AT (1)
%
% Restricted rights.

domain:         baeckerei-beispiel.at
registrar:      Beispiel Registrar GmbH ( https://nic.at/registrar/999 )
registrant:     <data not disclosed>
tech-c:         EX12345678-NICAT
nserver:        ns1.host.example
nserver:        ns2.host.example
changed:        20240507 09:10:11
source:         AT-DOM
`,
    expected: {
      registrar: 'Beispiel Registrar GmbH',
      created: null,
      expires: null,
      statuses: [],
      nameServers: ['ns1.host.example', 'ns2.host.example'],
    },
  },
];
