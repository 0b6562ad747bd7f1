// An object is stored and read through the official SDK, in a process that trusts the certificate of NODE_EXTRA_CA_CERTS.
import AV from 'leancloud-storage'

const [, , serverURL, appId, appKey] = process.argv
AV.init({ appId, appKey, serverURL })
const { id } = await new AV.Object('Note').save({ text: 'stored over TLS' })
const note = await AV.Object.createWithoutData('Note', id).fetch()
process.stdout.write(note.get('text'))
