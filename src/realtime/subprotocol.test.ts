import { expect, it } from 'vitest'
import { chooseSubprotocol, subprotocolOf } from './subprotocol.ts'

it.each([
  ['lc.protobuf2.1', 'protobuf', 1],
  ['lc.protobuf2.3', 'protobuf', 3],
  ['lc.proto2base64.1', 'base64', 1],
  ['lc.proto2base64.3', 'base64', 3],
  ['lc.json.1', 'json', 1],
  ['lc.json.3', 'json', 3],
  ['lc.protobuf.1', 'protobuf', 1],
  ['lc.protobuf.2', 'protobuf', 3],
  ['lc.protobuf.3', 'protobuf', 3],
  ['lc.protobase64.1', 'base64', 1],
  ['lc.protobase64.3', 'base64', 3],
])('parses %s as %s with behavior %i', (name, encoding, version) => {
  expect(chooseSubprotocol([name])).toEqual({ name, encoding, version })
})

it('selects the first known one', () => {
  expect(chooseSubprotocol(['lc.protobuf3.3', 'lc.json.3', 'lc.protobuf2.3'])?.name).toBe('lc.json.3')
})

it.each([[], [''], ['lc.protobuf2'], ['lc.protobuf2.2'], ['LC.PROTOBUF2.3'], ['lc.protobuf2.3 '], ['constructor']])(
  'selects none of %j',
  (...offered) => {
    expect(chooseSubprotocol(offered)).toBeUndefined()
  },
)

it.each([
  [undefined, '/?subprotocol=lc.proto2base64.3', 'lc.proto2base64.3'],
  [undefined, '/any/path?a=1&subprotocol=lc.protobuf2.3', 'lc.protobuf2.3'],
  ['lc.protobuf2.1, lc.json.3', '/?subprotocol=lc.protobuf2.3', 'lc.protobuf2.1'],
  ['lc.protobuf9.9', '/?subprotocol=lc.protobuf2.3', undefined],
  [undefined, '/?subprotocol=lc.protobuf9.9', undefined],
  [undefined, '/?subprotocol', undefined],
  [undefined, '/', undefined],
])('selects for the header %j and the URL %s: %s', (header, url, name) => {
  expect(subprotocolOf(header, url)?.name).toBe(name)
})
