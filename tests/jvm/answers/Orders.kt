import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.delay
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking

/** Orders whose steps wait for answers, and work between them on whatever thread is free. */
object Orders {
    private const val COUNT = 40
    @Volatile private var sink = 0L

    private fun work(ms: Long) {
        val end = System.nanoTime() + ms * 1_000_000
        while (System.nanoTime() < end) {
            sink++
        }
    }

    private fun price() = work(12)

    private fun pack() = work(4)

    private suspend fun fetch(order: Int): Int {
        delay(30)
        price()
        return order
    }

    private suspend fun serve(order: Int) {
        fetch(order)
        delay(10)
        pack()
    }

    @JvmStatic
    fun main(args: Array<String>) {
        runBlocking {
            List(COUNT) { order ->
                delay(20)
                launch(Dispatchers.Default) { serve(order) }
            }.joinAll()
        }
    }
}
