export const GENERAL = {
  text: '{{text}}',
  at: '{{where}}: {{what}}',
  because: '{{what}}: {{reason}}',
  andMore: '{{listed}} and {{more}} more',
  invalidClassName:
    "Missing or invalid classname. Classnames are case-sensitive. They must start with a letter, and a-zA-Z0-9_ are the only valid characters. The class is: '{{name}}'.",
  objectIdMissing: 'Missing object id.',
  invalidKeyName:
    "Invalid key name. Keys are case-sensitive and 'a-zA-Z0-9_' are the only valid characters. The column is: '{{key}}'.",
  jsonObjectExpected: 'Malformed json object. A json dictionary is expected.',
  keyRequired: "Key is required. The column is: '{{key}}'.",
  keyReadOnly: "The key is read only. The column is: '{{key}}'.",
  nestedKeyName: "Keys in NSDictionary values may not include '$' or '.'. The key is: '{{key}}'.",
  valueTaken: 'A unique field was given a value that is already taken.',
  usernameTaken: 'Username has already been taken.',
  emailTaken: 'Email has already been taken.',
  phoneNumberTaken: 'Mobile phone number has already been taken.',
  linkedIdMissing: "Linked id missing from request. authData.{{platform}} needs '{{member}}', a string.",
  timedOut: 'The request timed out on the server. Typically this indicates the request is too expensive.',
  unavailable: 'Temporarily Unavailable.',
  diskFull: 'Temporarily Unavailable: the disk of the server is full. Nothing can be stored until there is space.',
} as const
