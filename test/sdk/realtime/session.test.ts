import { oneServer } from './suite/place.ts'
import { session } from './suite/session.ts'

session(await oneServer())
