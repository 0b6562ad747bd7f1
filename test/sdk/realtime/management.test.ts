import { management } from './suite/management.ts'
import { oneServer } from './suite/place.ts'

management(await oneServer())
