import kotlinx.coroutines.CoroutineExceptionHandler
import kotlinx.coroutines.async
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.supervisorScope
import kotlinx.coroutines.yield

/** What Kotlin names else in a class file than in its continuation's: Steps.twice$main$suspendImpl. */
open class Steps {
    internal open suspend fun twice(round: Int) {
        yield()
        Frameworks.work(round % 3)
        yield()
    }
}

/** Coroutines that throw after they were suspended, so that Kotlin's library, which resumes them, catches. */
object Coroutines {
    private const val ROUNDS = 100

    private suspend fun step(round: Int) {
        Frameworks.work(5)
        yield()
        if (round % 2 == 0) {
            Frameworks.fail()
        }
        yield()
        Frameworks.task()
    }

    private fun handle() = CoroutineExceptionHandler { _, _ -> Frameworks.work(2) }

    private fun play(round: Int) = runBlocking {
        supervisorScope {
            val handler = handle()
            launch(handler) { step(round) }
            launch { Frameworks.task() }
            launch { Steps().twice(round) }
            val answer = async { step(round); 1 }
            try {
                answer.await()
            } catch (e: IllegalStateException) {
                Frameworks.work(3)
            }
        }
        Frameworks.task()
    }

    @JvmStatic
    fun main(args: Array<String>) {
        for (round in 1..ROUNDS) {
            play(round)
        }
        println("done")
    }
}
