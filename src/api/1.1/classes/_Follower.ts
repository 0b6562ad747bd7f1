import { FOLLOWER } from '../../../social/friendship/friendship.ts'
import { objectRoutes } from '../classes.ts'
import { followWrites } from './_Followee.ts'

/** Followers of users as objects of their class (protocol/social, Objects of friendship classes). */
export const followerObjects = objectRoutes(`/1.1/classes/${FOLLOWER}`, () => FOLLOWER, followWrites(FOLLOWER))
