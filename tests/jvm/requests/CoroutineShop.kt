import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking

/** A coroutine for each request: CoroutineShop COUNT TRUTH. */
object CoroutineShop {
    private fun order(number: Int) {
        val start = System.nanoTime()
        Requests.note("CoroutineShop.order", start, Requests.order(number))
    }

    private fun user(number: Int) {
        val start = System.nanoTime()
        Requests.note("CoroutineShop.user", start, Requests.user(number))
    }

    @JvmStatic
    fun main(args: Array<String>) {
        runBlocking {
            val places = Channel<Unit>(3)
            for (number in 0 until args[0].toInt()) {
                places.send(Unit)
                launch(Dispatchers.Default) {
                    if (number % 2 == 0) order(number / 2) else user(number / 2)
                    places.receive()
                }
            }
        }
        Requests.write(args[1])
    }
}
