import { oneServer } from './suite/environment.ts'
import { session } from './suite/session.ts'

session(await oneServer())
