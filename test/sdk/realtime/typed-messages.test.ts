import { oneServer } from './suite/place.ts'
import { typedMessages } from './suite/typed-messages.ts'

typedMessages(await oneServer())
